"""What `--json` writes: for each command its fields and what they mean. `cutelab schema` prints it; a test holds the commands to it."""

from __future__ import annotations

VERSION = 1
SCHEMA: dict[str, dict[str, str]] = {
    "show": {
        "kind": "the class of what was read",
        "text": "as CuTe writes it",
        "about": "one sentence",
        "size": "coordinates; null where there are none",
        "cosize": "elements that memory must hold; null where there is no single layout",
        "offsets": "offset of each coordinate in elements, nested by top-level mode; null above 4,096 coordinates",
        "coordinates": "of a coordinate layout: the coordinate of each 1-D index; null above 4,096, and of all else",
        "files": "the pictures written",
    },
    "banks": {
        "layout": "the tile",
        "wavefronts": "of the warp's access",
        "ideal": "the fewest that these bytes need",
        "ways": "the worst group of lanes",
        "banks": "bank of each word that each lane moves",
        "why": "one sentence",
        "fixes": "with --fix: name, layout, C++, wavefronts, extra bytes of each, best first; else null",
        "failed": "is wavefronts above --fail-over?",
    },
    "sectors": {
        "layout": "lane to element offset",
        "sectors": "32-byte sectors that the warp touches",
        "ideal": "the fewest that hold the bytes asked for",
        "lines": "128-byte lines touched",
        "efficiency": "bytes asked for / bytes moved",
        "why": "one sentence",
        "failed": "is sectors above --fail-over?",
    },
    "algebra": {"operation": "its CuTe name", "result": "as CuTe writes it", "explanation": "the steps, line by line"},
    "tiled": {
        "text": "as read",
        "threads": "how many",
        "thread": "the one asked about",
        "tile": "its extents",
        "values": "of each operand: the places in the tile that the thread holds, in the order of its values",
    },
    "read": {
        "line": "its number from 1; of a printed block, of its first line",
        "text": "the line, or the lines of one printed block",
        "kind": "the class of what was read; null for an error",
        "answer": "as CuTe writes it; null for an error",
        "error": "why it was not read; else null",
    },
    "trace": {
        "kernel": "its name",
        "verdict": "one sentence",
        "lines": "each access: line, source, space, kind, array, count, ideal, excess",
        "races": "what is wrong between threads",
        "excess": "sectors and wavefronts beyond the fewest, of all lines",
        "failed": "are there races, or is excess above --fail-over?",
    },
    "claims": {
        "claims": "each: id, topic, text, verdict (true, half, false, unknown), sentence (what is right), figures, code, picture, source, lesson",
    },
    "course": {"folder": "where the lessons lie", "kept": "lessons that you have changed; newer ones lie beside them"},
    "class": {
        "heads": "of the columns",
        "rows": "one for each learner",
        "wrong": "exercise -> count, answer, misconception",
        "damaged": "files left out",
    },
    "answers": {
        "answers": "each: id, title, question, right (of a prediction), solution (of an exercise), why, wrong (answer, what is said of it)",
    },
}
"""Every answer also has "command" and "schema" (the version). `read` writes one object a line, all others one object."""
