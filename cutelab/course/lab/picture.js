// Shows one picture and lets its cells be probed. A viewer only: what a cell means is decided in Python.
const REST = 1500; // milliseconds without another picture
const STATE = ["frame", "asks", "png", "alt", "width", "height", "grids", "ids", "tip", "tips", "cell", "status", "error", "names",
  "copies", "files"];
const PASS = ["Tab", "Escape", "Enter"];
const KEYS = { ArrowUp: [-1, 0, 1], ArrowDown: [1, 0, 1], ArrowLeft: [0, -1, 1], ArrowRight: [0, 1, 1], Home: [0, -1, Infinity],
  End: [0, 1, Infinity], PageUp: [-1, 0, 8], PageDown: [1, 0, 8] }; // direction (rows, columns), and how many cells

function add(parent, tag, name, attributes = {}) {
  const node = document.createElement(tag);
  node.className = "cutelab-" + name;
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  parent.append(node);
  return node;
}

async function integers(bytes) { // zlib of int32, each the step from the one before
  if (!bytes?.byteLength) return new Int32Array();
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const found = new Int32Array(await new Response(plain).arrayBuffer());
  for (let i = 1; i < found.length; i++) found[i] += found[i - 1];
  return found;
}

function render({ model, el }) {
  const root = add(el, "div", "view");
  const stage = add(root, "div", "stage");
  const card = add(stage, "div", "card");
  const img = add(card, "img", "image", { alt: "", decoding: "sync" }); // never a blank between two pictures
  const area = add(card, "div", "probe", { role: "application", tabindex: 0, "aria-label": "Cells of the picture: arrow keys move the probe" });
  const marks = add(card, "div", "marks", { "aria-hidden": "true" });
  const title = add(card, "div", "title", { "aria-hidden": "true" }); // what the picture has no room for
  const tip = add(card, "div", "tip", { "aria-hidden": "true" });
  const trouble = add(stage, "div", "error"); // over the title of a picture that is stale: seen, and nothing moves
  const status = add(root, "div", "status");
  const copy = add(root, "div", "copy", { role: "group", "aria-label": "Copy as" });
  const names = add(copy, "div", "choices");
  const line = add(copy, "div", "copied");
  const live = add(root, "div", "live", { role: "status" });
  let now = { grids: [], names: {}, copies: {}, files: [] }; // the frame on screen
  let spots = new Map(); // probe cell -> [grid, row, column] of each cell that stands for it
  let spot = null; // where the probe is
  let asked = null, busy = false; // the probe cell that the kernel has been asked for
  let url = "", timer = 0, alive = true, box = null, gone = false;
  let chosen = "", file = null; // what "Copy as" shows: the name of a text, or a file that was made
  let quietly = 0; // until the picture has stood for a while: then the notebook keeps it for another day
  let used = false; // was a control in use when the last picture came?
  const observer = new MutationObserver(name);

  const id = ([g, r, c]) => now.grids[g].ids[r * (now.grids[g].x.length / 2) + c];

  function say(text, delay) {
    clearTimeout(timer);
    timer = setTimeout(() => { if (text !== live.textContent) live.textContent = text; }, delay);
  }

  function words(cell) { // the tip's template, filled from the table's columns
    const rows = now.table.length / now.tip.columns;
    if (!(cell < rows)) return "";
    return now.tip.text.replace(/\{(\d+)\}/g, (_, column) => now.table[column * rows + cell]);
  }

  function place(at) {
    const cell = at ? id(at) : -1;
    marks.replaceChildren();
    for (const [g, r, c] of spots.get(cell) ?? []) {
      const { x, y } = now.grids[g];
      const mark = add(marks, "i", "mark");
      Object.assign(mark.style, { left: 100 * x[2 * c] + "%", top: 100 * y[2 * r] + "%",
        width: 100 * (x[2 * c + 1] - x[2 * c]) + "%", height: 100 * (y[2 * r + 1] - y[2 * r]) + "%" });
    }
    tip.textContent = at ? words(cell) : "";
    tip.hidden = !tip.textContent;
    if (tip.hidden) return;
    const [x, y] = [now.grids[at[0]].x, now.grids[at[0]].y].map((edges, i) => edges.slice(2 * at[2 - i], 2 * at[2 - i] + 2));
    tip.style.left = x[0] < 0.5 ? 100 * x[1] + "%" : "auto"; // on the side that has more room
    tip.style.right = x[0] < 0.5 ? "auto" : 100 * (1 - x[0]) + "%";
    tip.style.top = y[0] < 0.5 ? 100 * y[1] + "%" : "auto";
    tip.style.bottom = y[0] < 0.5 ? "auto" : 100 * (1 - y[0]) + "%";
  }

  const rest = () => { place(spot); tip.hidden ||= document.activeElement !== area; };

  function send(message) {
    try {
      model.send(message);
    } catch { // the kernel is gone, and its own sign may come later
      lose();
    }
  }

  function ask(cell) { // one question at a time; the newest is asked next
    asked = cell;
    if (!busy) { busy = true; send({ probe: cell }); }
  }

  function probe(at) {
    spot = at;
    place(at);
    say(tip.textContent.replaceAll("\n", ", "), 150);
    ask(id(at));
  }

  function under(event) { // the cell under the pointer
    const frame = area.getBoundingClientRect();
    const find = (edges, v) => { for (let i = 0; i < edges.length; i += 2) if (edges[i] <= v && v < edges[i + 1]) return i / 2; return -1; };
    for (let g = 0; g < now.grids.length; g++) {
      const r = find(now.grids[g].y, (event.clientY - frame.top) / frame.height);
      const c = find(now.grids[g].x, (event.clientX - frame.left) / frame.width);
      if (r >= 0 && c >= 0 && id([g, r, c]) >= 0) return [g, r, c];
    }
    return null;
  }

  function walk([down, across, count]) { // cells without a probe number are stepped over
    const from = spot ?? spots.values().next().value?.[0];
    if (!from) return;
    const [g, r, c] = from, rows = now.grids[g].y.length / 2, columns = now.grids[g].x.length / 2, line = spot ? [] : [from];
    for (let i = r + down, j = c + across; i >= 0 && i < rows && j >= 0 && j < columns; i += down, j += across) {
      if (id([g, i, j]) >= 0) line.push([g, i, j]);
    }
    if (line.length) probe(line[Math.min(count, line.length) - 1]);
  }

  function tell(error, text) {
    root.classList.toggle("cutelab-stale", !!error);
    trouble.replaceChildren();
    trouble.hidden = !error;
    if (error) {
      add(trouble, "b", "sign").textContent = "✗ ";
      trouble.append(error + "\n");
      add(trouble, "span", "muted").textContent = "The picture still shows the last good parameters.";
    }
    const cut = Math.max(0, (text ?? "").indexOf(" → "));
    status.replaceChildren();
    add(status, "b", "sign").textContent = (text ?? "").slice(0, cut);
    status.append((text ?? "").slice(cut));
    status.hidden = !text;
  }

  function fail() { // an error comes alone, without a frame
    tell(model.get("error"), now.status);
    if (model.get("error")) say(trouble.textContent, 150);
  }

  function choose(name) { // a text to copy, or a file to make
    chosen = name;
    file = null;
    line.style.minHeight = "";
    if (now.files.includes(name)) send({ file: name });
    choices();
  }

  function choices() {
    const all = [...Object.keys(now.copies), ...now.files];
    if (!all.includes(chosen)) chosen = all[0];
    if (names.dataset.all !== all.join()) {
      names.dataset.all = all.join();
      names.replaceChildren();
      if (all.length) add(names, "span", "label").textContent = "Copy as";
      for (const name of all) {
        const button = add(names, "button", "choice", { type: "button" });
        button.textContent = name;
        button.title = now.files.includes(name) ? `Save the picture as ${name}` : `Show the ${name} text, to copy it`;
        button.addEventListener("click", () => choose(name));
      }
    }
    for (const button of names.querySelectorAll("button")) {
      const on = button.textContent === chosen;
      if (button.getAttribute("aria-pressed") !== String(on)) button.setAttribute("aria-pressed", on);
    }
    const text = now.copies[chosen];
    if (text === null) send({ copy: chosen }); // a long one
    if (text === null || (line.dataset.text === chosen + "\n" + text && text !== undefined)) return;
    line.dataset.text = chosen + "\n" + text;
    line.replaceChildren();
    if (typeof text === "string") {
      const pre = add(line, "pre", "line", { tabindex: 0, "data-lm-suppress-shortcuts": "true", "aria-label": chosen });
      pre.textContent = text;
      const button = add(line, "button", "take", { type: "button", title: "Copy this text" });
      button.textContent = "copy";
      button.addEventListener("click", () => take(pre, button));
    } else if (now.files.includes(chosen)) {
      add(line, "div", "line").textContent = file ? "" : `Drawing the ${chosen} file ...`;
      if (file) {
        const link = add(line.firstChild, "a", "save", { download: file.name, href: file.href });
        link.textContent = `Save ${file.name}`;
        line.firstChild.append(` (${Math.ceil(file.size / 1000)} KB)`);
      }
    }
  }

  async function take(pre, button) {
    try {
      await navigator.clipboard.writeText(pre.textContent);
    } catch { // not a secure page
      getSelection().selectAllChildren(pre);
      document.execCommand("copy");
    }
    button.textContent = "copied";
    say("copied", 0);
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }

  function receive(kind, name, bytes) { // a file that was asked for
    if (kind !== chosen) return;
    const data = new Blob([bytes]);
    file = { name, size: data.size, href: URL.createObjectURL(data) };
    line.dataset.text = "";
    choices();
    line.querySelector("a").click();
  }

  function watch() { // a kernel that was shut down says nothing: ask for it
    const manager = model.widget_manager;
    if (manager && "kernel" in manager && (!manager.kernel || manager.kernel.isDisposed || manager.kernel.status === "dead")) lose();
  }

  function lose() { // the kernel is gone: nothing can be moved any more
    if (gone) return;
    gone = true;
    box?.classList.add("cutelab-gone");
    for (const part of box?.querySelectorAll(".cutelab-wide, .cutelab-controls, .cutelab-choices") ?? []) part.inert = true;
  }

  async function show() {
    const frame = model.get("frame");
    const next = Object.fromEntries(STATE.map((key) => [key, model.get(key)]));
    const quiet = asked !== null || !url; // the learner has heard the probed cell already; the first picture says nothing
    const fresh = URL.createObjectURL(new Blob([next.png], { type: "image/png" }));
    const decoder = new Image();
    const there = new Promise((done) => { decoder.onload = decoder.onerror = done; });
    decoder.src = fresh;
    const [ids, table] = await Promise.all([integers(next.ids), integers(next.tips), there]);
    if (!alive || frame !== model.get("frame")) return URL.revokeObjectURL(fresh);
    if (url) URL.revokeObjectURL(url);
    img.src = url = fresh;
    if (next.asks) send({ shown: frame });
    Object.assign(img, { alt: next.alt, width: next.width, height: next.height });
    title.title = next.alt;
    let start = 0;
    next.grids = next.grids.map(({ x, y }) => ({ x, y, ids: ids.subarray(start, (start += (x.length * y.length) / 4)) }));
    now = { ...next, table };
    spots = new Map();
    now.grids.forEach(({ x, ids }, g) => ids.forEach((cell, k) => {
      if (cell < 0) return;
      if (!spots.has(cell)) spots.set(cell, []);
      spots.get(cell).push([g, Math.floor(k / (x.length / 2)), k % (x.length / 2)]);
    }));
    const places = spots.get(asked ?? now.cell) ?? [];
    spot = places.find(([g]) => g === spot?.[0]) ?? places[0] ?? null;
    rest();
    tell(model.get("error"), now.status);
    if (now.files.includes(chosen)) chosen = ""; // the file showed an earlier picture
    choices();
    name();
    steady();
    if (!quiet) say(now.alt, 700);
    img.dataset.frame = frame;
    clearTimeout(quietly);
    if (frame > 1) quietly = setTimeout(settle, REST);
  }

  function steady() { // while a control is in use nothing gets lower, so that what stands below does not jump up and down
    const using = !!box?.contains(document.activeElement);
    for (const part of [stage, status, line, ...(box?.querySelectorAll(".cutelab-controls") ?? [])]) {
      if (!using || !used) part.style.minHeight = "";
      if (using) part.style.minHeight = part.offsetHeight + "px";
    }
    used = using;
  }

  function settle() {
    quietly = 0;
    send({ rest: now.frame });
  }

  function hide() { // the page is left: what has changed is kept at once
    if (!document.hidden || !quietly) return;
    clearTimeout(quietly);
    settle();
  }

  function attach() { // the view is made before it is part of the page
    box = el.closest(".cutelab-explorer");
    if (box) {
      observer.observe(box, { childList: true, subtree: true, attributeFilter: ["class"] });
      box.addEventListener("click", fold);
      box.addEventListener("keydown", press);
      box.addEventListener("focusout", leave);
      name();
    } else if (alive) requestAnimationFrame(attach);
  }

  function leave(event) {
    if (!box.contains(event.relatedTarget)) used = false; // the next picture takes the room that it needs
  }

  function press(event) { // else Enter would open the notebook cell's editor
    if (event.target.matches(".cutelab-explorer button") && ["Enter", " "].includes(event.key)) event.stopPropagation();
  }

  function fold(event) { // a group of controls under its heading
    const heading = event.target.closest(".cutelab-heading");
    if (!heading) return;
    const folded = heading.closest(".cutelab-group").classList.toggle("cutelab-folded");
    heading.setAttribute("aria-expanded", !folded);
  }

  function name() { // what the stock controls do not tell a screen reader
    if (box?.classList.contains("jupyter-widgets-disconnected")) lose();
    for (const label of box?.querySelectorAll(".widget-label") ?? []) {
      const [spoken, hint] = now.names[label.textContent] ?? [label.textContent, ""], row = label.parentElement;
      const part = row.querySelector("[role=slider], input, select") ?? row.querySelector(":scope > div:not(.widget-label)");
      if (!spoken || !part) continue;
      if (row.matches(".widget-toggle-buttons")) part.setAttribute("role", "group");
      part.setAttribute("aria-label", spoken);
      const words = hint ? `${spoken}: ${hint}` : spoken;
      if (row.title !== words) row.title = words;
      label.removeAttribute("title");
      const value = row.querySelector(".widget-readout");
      if (value) part.setAttribute("aria-valuetext", value.textContent);
    }
    for (const button of box?.querySelectorAll(".widget-toggle-button") ?? []) {
      button.setAttribute("aria-pressed", button.classList.contains("mod-active"));
    }
  }

  area.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || PASS.includes(event.key)) return;
    event.stopPropagation(); // else `x` would cut the notebook cell
    if (!KEYS[event.key]) return;
    event.preventDefault();
    walk(KEYS[event.key]);
  });
  area.addEventListener("click", (event) => { const at = under(event); if (at) probe(at); });
  area.addEventListener("pointermove", (event) => { const at = under(event); if (at) place(at); else rest(); });
  for (const event of ["pointerleave", "focus", "blur"]) area.addEventListener(event, rest);

  const answer = (message, buffers) => {
    if (message.file) receive(message.file, message.name, buffers[0]);
    if (message.copy && now.copies[message.copy] === null) {
      now.copies = { ...now.copies, [message.copy]: message.text };
      choices();
    }
    if (!("probed" in message)) return;
    busy = false;
    if (asked === message.probed) asked = null;
    else if (asked !== null) ask(asked);
  };
  model.on("change:frame", show);
  model.on("change:error", fail);
  model.on("msg:custom", answer);
  const watching = setInterval(watch, 1000);
  document.addEventListener("visibilitychange", hide);
  attach();
  if (model.get("frame")) show();

  return () => {
    alive = false;
    clearTimeout(timer);
    clearTimeout(quietly);
    document.removeEventListener("visibilitychange", hide);
    clearInterval(watching);
    observer.disconnect();
    box?.removeEventListener("click", fold);
    box?.removeEventListener("keydown", press);
    box?.removeEventListener("focusout", leave);
    URL.revokeObjectURL(url);
    model.off("change:frame", show);
    model.off("change:error", fail);
    model.off("msg:custom", answer);
  };
}

export default { render };
