"""The words of topic "descriptor": what the fields say, what is read instead, what the swizzle is for. Counts nothing itself."""

from __future__ import annotations

import numpy as np

from cutelab.course.card.picture import Offer, Verdict
from cutelab.course.card.words import number
from cutelab.course.topics.descriptor.knobs import ITEM, settings
from cutelab.course.topics.descriptor.model import Array, Result
from cutelab.hardware.chip import Address
from cutelab.hardware.descriptor import MatrixDescriptor


def subtitle(result: Result) -> str:
    """The operand, and what number and colour mean."""
    low, high = int(result.rows[0]), int(result.rows[-1])
    return f"A of wgmma, 64 x 16 of 2 bytes, rows {low} to {high}. Left: byte of each (m,k). Right: byte that is read. Colour = bank."


def verdicts(result: Result) -> tuple[Verdict, ...]:
    """Is the product right? Then, what reading costs."""
    wrong, total = int(result.wrong.sum()), result.wrong.size
    if wrong:
        beyond = f"; {number(result.beyond)} lie beyond the tile" if result.beyond else ""
        first = Verdict(
            "bad",
            f"The product is wrong in {result.wrong_rows} of 64 rows, and nothing faults",
            f"{number(wrong)} of {number(total)} elements are read from another address{beyond}",
        )
    else:
        first = Verdict(
            "good",
            f"All {number(total)} elements are read from where they lie" + (f": k-block {result.block}" if result.block else ""),
            result.params.given.summary(),
        )  # fmt: skip
    settings_, ideal = result.measured
    rate = Verdict(
        "good",
        "No setting conflicts when it is read: " + rate_words(settings_, ideal),
        "so the swizzle is for whoever writes the tile, and for rows of 128 bytes in a TMA box",
    )
    return first, rate


def rate_words(settings_: int, ideal: int) -> str:
    """How many of the measured settings went at the full rate?"""
    return f"{ideal} of {settings_} measured settings took 128 bytes a cycle"


def status(result: Result) -> str:
    """The probe in words."""
    m, k = result.params.m, result.params.k
    at = Address(int(result.read[m, k]) // ITEM, ITEM, result.params.chip)
    words = f"({m},{k}) → {at}"
    if not result.wrong[m, k]:
        return words
    row, column = result.found[m, k].tolist()
    other = f"({row},{column}) of the tile lies there" if row >= 0 else "nothing of the tile lies there"
    return f"{words} · {other}; it should be byte {int(result.right[m, k])}"


def offers(result: Result) -> tuple[Offer, ...]:
    """The descriptor that reads the tile as it lies."""
    fits = result.params.fitting
    right = settings(fits)
    return (Offer("right", hex(fits.encode()), right, in_use=right == settings(result.params.given)),)


def copies(result: Result) -> dict[str, str]:
    """The line that makes this view, the 64 bits, the descriptor in Python."""
    given = result.params.given
    values = (given.start_bytes, given.lbo_bytes, given.sbo_bytes, given.swizzle_bytes, given.major)
    python = f"MatrixDescriptor({', '.join(map(repr, values))})".replace("'", '"')
    return {"cutelab": result.params.call("descriptor"), "bits": f"{given.encode():#018x}", "MatrixDescriptor": python}


def field_lines(descriptor: MatrixDescriptor) -> tuple[str, ...]:
    """Each field of the 64 bits in a line."""
    return tuple(f"{f.low}-{f.high} {f.name} = {f.value}  {f.meaning}" for f in descriptor.fields)


def tips(result: Result) -> tuple[str, Array]:
    """What the pointer reads on an element, and its numbers."""
    m, k = np.indices(result.read.shape)
    parts = (m, k, result.right, result.read, *np.moveaxis(result.found, -1, 0))
    table = np.stack([np.ravel(part) for part in parts], axis=-1)
    return "({0},{1}) lies at byte {2}\nread: byte {3}, element ({4},{5})", table.astype(np.int32)
