"""A picture of every topic for docs/gallery: `python tools/gallery.py [FOLDER]`."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

VIEWS = (
    'layout("((4,2),(2,4)):((2,16),(1,8))")',
    'coalescing("half", stride=3)',
    'banks("(32,32):(32,1)", read="column")',
    'swizzle("Sw<3,0,3>")',
    "strips(64, threads=64)",
    "thread_map()",
    'algebra(a="(6,2):(8,2)", b="(4,3):(3,1)")',
    'tiling("(16,32):(1,16)")',
    'tensor_core("SM80_16x8x16_F32F16F16F32_TN", operand="C")',
    'tiled(thr="(16,8):(8,1)", val="(1,8)")',
    "pipeline(stages=3)",
    "tma(column=32, row=20)",
    "descriptor()",
    "kernel()",
)
"""One for each explorer, except that of a traced kernel, whose code the reader brings."""


def main(folder: Path) -> int:
    """One SVG for each view, and the page that shows them."""
    from cutelab.explore import view

    folder.mkdir(parents=True, exist_ok=True)
    lines = ["# Gallery", "", "Each picture is one line of Python; `python tools/gallery.py` draws them all again.", ""]
    for text in VIEWS:
        lab = view(text)
        lab.save(folder / f"{lab.name}.svg")
        lines += [f"## {lab.name}", "", "```python", lab.code(), "```", "", f"![{lab.name}]({lab.name}.svg)", ""]
        lab.close()
    (folder / "README.md").write_text("\n".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "gallery"))
