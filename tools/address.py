"""The address of this repository, in one place: `python tools/address.py [https://github.com/NAME/REPOSITORY]`.

It stands in pyproject.toml, under [tool.cutelab]. Without an address this says which one that is. With one it is written there, and
README's clone line, its links to Binder and Colab and its pip line follow.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORM = re.compile(r"https://github\.com/([A-Za-z0-9-]+/[A-Za-z0-9._-]+)")
FIRST = "notebooks/00_start.ipynb"
UNPUBLISHED = "https://github.com/OWNER/cutelab"
NOTE = (
    "Addresses with OWNER in them lead nowhere yet: this copy has not been published.\n"
    "`python tools/address.py https://github.com/NAME/cutelab` writes the right ones.\n\n"
)


def address(root: Path = ROOT) -> str:
    """The one place."""
    found = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cutelab"]["repository"]
    assert isinstance(found, str)
    return found


def links(of: str) -> dict[str, str]:
    """What README says of this address, each as it stands there."""
    match = FORM.fullmatch(of)
    if not match:
        raise ValueError(f"an address is https://github.com/NAME/REPOSITORY, got {of!r}; Binder and Colab read GitHub")
    name = match[1]
    return {
        "clone": f"git clone {of} cutelab && cd cutelab",
        "pip": f"%pip install git+{of}",
        "Binder": f"https://mybinder.org/v2/gh/{name}/HEAD?labpath={FIRST.replace('/', '%2F')}",
        "Colab": f"https://colab.research.google.com/github/{name}/blob/HEAD/{FIRST}",
    }


def moved(text: str, old: str, new: str) -> str:
    """README's text for another address."""
    for name, said in links(old).items():
        text = text.replace(said, links(new)[name])
    if old == UNPUBLISHED != new:
        text = text.replace(NOTE, "")
    return text


def main(arguments: list[str], root: Path = ROOT) -> int:
    old = address(root)
    if not arguments:
        print(old)
        return 0
    try:
        new = arguments[0].rstrip("/").removesuffix(".git")
        links(new)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    texts = {name: (root / name).read_text(encoding="utf-8") for name in ("pyproject.toml", "README.md")}
    texts["pyproject.toml"] = texts["pyproject.toml"].replace(f'repository = "{old}"', f'repository = "{new}"')
    texts["README.md"] = moved(texts["README.md"], old, new)
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8", newline="\n")
    print(new)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
