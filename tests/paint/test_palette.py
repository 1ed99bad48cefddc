"""The palette's promises, computed again from its numbers: ink that is legible, colours that differ to every eye."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cutelab.core.errors import CuteLabError
from cutelab.course.card.paint.palette import FRAME, fill_and_ink, scale_colours

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
MACHADO = {
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "tritan-machado": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
# Brettel, Viénot, Mollon 1997 for tritanopes: cones after Smith and Pokorny 1975, colours projected to the half planes
# through white and light of 485 or 660 nm (their CIE 1931 XYZ).
CONES = np.array([[0.15514, 0.54312, -0.03286], [-0.15514, 0.45684, 0.03286], [0, 0, 0.01608]])
BLUE, RED = CONES @ (0.05795, 0.1693, 0.6162), CONES @ (0.1649, 0.0610, 0.0)
VISIONS = ("normal", "deutan", "protan", "tritan", "tritan-machado", "grey")


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    low, high = sorted(float(LUMINANCE @ linear(c)) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, vision: str) -> np.ndarray:
    """Linear RGB as this eye sees it."""
    c = linear(colour)
    if vision == "tritan":
        to_cones = CONES @ TO_XYZ
        white, (long, medium, _) = to_cones @ np.ones(3), to_cones @ c
        anchor = RED if medium * white[0] < white[1] * long else BLUE
        plane = np.cross(white, anchor)
        c = np.linalg.solve(to_cones, [long, medium, -(plane[0] * long + plane[1] * medium) / plane[2]])
    elif vision == "grey":
        c = np.full(3, LUMINANCE @ c)
    elif vision != "normal":
        c = np.array(MACHADO[vision]) @ c
    return np.clip(c, 0, 1)


def lab(rgb: np.ndarray) -> tuple[float, float, float]:
    t = TO_XYZ @ rgb / (TO_XYZ @ np.ones(3))
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return 116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])


def ciede2000(one, two) -> float:
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(mean**7 / (mean**7 + 25.0**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    dl, dc = l2 - l1, c2 - c1
    dh = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    big = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(dh) / 2)
    lm, cm = (l1 + l2) / 2, (c1 + c2) / 2
    hm = h1 + h2 if c1 * c2 == 0 else (h1 + dh / 2) % 360
    t = (
        1
        - 0.17 * np.cos(np.radians(hm - 30))
        + 0.24 * np.cos(np.radians(2 * hm))
        + 0.32 * np.cos(np.radians(3 * hm + 6))
        - 0.20 * np.cos(np.radians(4 * hm - 63))
    )
    sl = 1 + 0.015 * (lm - 50) ** 2 / np.sqrt(20 + (lm - 50) ** 2)
    sc, sh = 1 + 0.045 * cm, 1 + 0.015 * cm * t
    turn = -2 * np.sqrt(cm**7 / (cm**7 + 25.0**7)) * np.sin(np.radians(60 * np.exp(-(((hm - 275) / 25) ** 2))))
    return float(np.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (big / sh) ** 2 + turn * (dc / sc) * (big / sh)))


def test_ciede2000_gives_the_published_values():
    """Pairs 1, 7 and 25 of Sharma, Wu, Dalal 2005."""
    assert ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) == pytest.approx(2.0425, abs=1e-4)
    assert ciede2000((50, 0, 0), (50, -1, 2)) == pytest.approx(2.3669, abs=1e-4)
    assert ciede2000((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387)) == pytest.approx(1.2644, abs=1e-4)


def least(scale: str, pairs, vision: str) -> float:
    labs = [lab(seen(fill, vision)) for fill, _ in scale_colours(scale)[:-1]]
    return min(ciede2000(labs[a], labs[b]) for a, b in pairs)


NEXT = [(k, (k + 1) % 32) for k in range(32)]
EIGHTS = [(k, (k + d) % 32) for k in range(32) for d in (8, 16, 24)]
PROMISES = [
    ("bank", NEXT, (11.2, 9.2, 8.8, 11.4, 10.3, 9.2)),
    ("bank", EIGHTS, (26.0, 8.8, 9.6, 9.4, 10.9, 9.1)),
    ("category", list(itertools.combinations(range(4), 2)), (30.5, 13.5, 19.0, 21.4, 23.7, 6.7)),
    ("category", list(itertools.combinations(range(8), 2)), (14.4, 12.8, 11.9, 12.1, 14.4, None)),
]


@pytest.mark.parametrize("scale, pairs, distances", PROMISES)
def test_colours_differ_to_every_eye(scale, pairs, distances):
    for vision, distance in zip(VISIONS, distances, strict=True):
        if distance is not None:
            slack = 0.2 if vision == "tritan" else 0.06  # Brettel's method leaves the choice of cones and white open
            assert least(scale, pairs, vision) == pytest.approx(distance, abs=slack), vision


@pytest.mark.parametrize("scale, ratio", [("bank", 5.16), ("category", 5.17), ("offset", 5.19), ("frame", 4.5)])
def test_ink_is_legible_on_every_fill(scale, ratio):
    least_ratio = min(contrast(*pair) for pair in scale_colours(scale))
    assert least_ratio >= ratio - 0.005
    if scale != "frame":
        assert round(least_ratio, 2) == ratio


@pytest.mark.parametrize(
    "ink, ground, ratio",
    [
        ("ink", "paper", 15.75), ("muted", "paper", 6.04), ("muted", "faint", 5.42), ("bad", "bad_fill", 5.96),
        ("good", "good_fill", 5.65), ("note", "note_fill", 6.56), ("hatch", "faint", 3.0), ("white", "accent", 6.44),
    ],
)  # fmt: skip
def test_frame_contrast(ink, ground, ratio):
    assert contrast(FRAME[ink], FRAME[ground]) == pytest.approx(ratio, abs=0.006)


@pytest.mark.parametrize("scale, least_ratio", [("bank", 4.93), ("category", 4.64), ("offset", 4.67)])
def test_ink_is_legible_when_the_dark_theme_dims_the_card(scale, least_ratio):
    def dim(colour):
        return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * 0.93):02x}" for i in (1, 3, 5))

    found = min(contrast(dim(a), dim(b)) for a, b in scale_colours(scale)[:-1])
    assert found >= least_ratio - 0.02


def test_minus_one_is_paper_and_other_numbers_are_refused():
    for scale in ("bank", "category", "offset", "frame"):
        assert fill_and_ink(scale, -1) == (FRAME["paper"], FRAME["ink"])
    assert fill_and_ink("category", 8) == fill_and_ink("category", 0)
    for scale, index in (("bank", 32), ("offset", -2), ("frame", 10), ("hue", 0)):
        with pytest.raises(CuteLabError):
            fill_and_ink(scale, index)
