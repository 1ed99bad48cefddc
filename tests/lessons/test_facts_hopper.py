"""The numbers that lesson 13 states are what counting gives, and its code stands in kernels that were compiled."""

import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import cutelab.hardware.measured as measured_package
from cutelab import Layout, parse_layout, vector_copy
from cutelab.core.errors import CuteLabError
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.hopper.lesson import at_row
from cutelab.hardware import MatrixDescriptor, Pipeline, TmaTile, UmmaDescriptor, descriptor_of, tma_boxes
from cutelab.hardware.measured import measured_hopper

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = json.loads((ROOT / "notebooks" / "13_hopper.ipynb").read_text(encoding="utf-8"))
PACKED = Path(measured_package.__file__).parent


def cases(name):
    return json.loads((PACKED / f"h200_{name}.json").read_text(encoding="utf-8"))["cases"]


def cycles(loop, stages, threads=128):
    """With an MMA of 128 cycles and tiles of 16,384 bytes, as it was measured."""
    wanted = (loop, stages, threads, 16_384, 128)
    names = ("loop", "stages", "threads", "tile_bytes", "mma_cycles")
    (found,) = [c for c in cases("hopper_pipelines") if tuple(c[name] for name in names) == wanted]
    return round(found["cycles_a_tile"])


def moved(address, bits=3):
    """Bits 7 and up of an address are XORed into bits 4 and up, one bit at a time."""
    for bit in range(bits):
        if address >> (7 + bit) & 1:
            address ^= 1 << (4 + bit)
    return address


def core(m, k, lbo, sbo):
    """The byte of a half in core matrices of 8 rows of 16 bytes: walk there, one step at a time."""
    return sum(sbo for _ in range(m // 8)) + sum(lbo for _ in range(k // 8)) + 16 * (m % 8) + 2 * (k % 8)


def banks(addresses):
    """Wavefronts of lanes of 16 bytes, eight at a time."""
    count = 0
    for first in range(0, len(addresses), 8):
        words = {a // 4 + w for a in addresses[first : first + 8] for w in range(4)}
        count += max(Counter(w % 32 for w in words).values())
    return count


def test_twice_the_threads_do_not_halve_what_copying_costs():
    assert [cycles("together", 4), cycles("together", 4, 256), cycles("producer", 4)] == [582, 503, 306]
    assert (582 - 128, 582 - 503, 128 + 454 // 2, 16_384 // 16) == (454, 79, 355, 1024)


def test_the_box_at_the_edge():
    inside = [(r, c) for r in range(196, 204) for c in range(256, 320) if r < 200 and c < 300]
    assert (len(inside) * 2, 512 - len(inside), 8 * 64 * 2) == (352, 336, 1024)
    tile = TmaTile((200, 300), 2, (64, 8), swizzle_bytes=128)
    held = tile.load(256, 196)
    assert (np.count_nonzero(held == -2), tile.expect_bytes) == (336, 1024)
    assert sorted(held[held >= 0].tolist()) == sorted(r * 300 + c for r, c in inside)


@pytest.mark.parametrize(
    ("base", "first"), [(0, [0, 144, 288, 432]), (128, [16, 160]), (256, [32, 176, 320, 464]), (1024, [0, 144])]
)
def test_where_the_rows_of_a_tile_begin(base, first):
    rows = [moved(base + 128 * row) - base for row in range(8)]
    assert rows[: len(first)] == first
    assert (TmaTile((200, 300), 2, (64, 8), 128, base).addresses[:, 0] - base).tolist() == rows
    assert [at_row(base, row) for row in range(8)] == [base + r for r in rows]


def test_a_tile_at_byte_256_agrees_with_its_own_offsets_nowhere():
    by_offset = [moved(128 * r + 2 * c) for r in range(8) for c in range(64)]
    by_address = [moved(256 + 128 * r + 2 * c) - 256 for r in range(8) for c in range(64)]
    assert all(a != b for a, b in zip(by_offset, by_address, strict=True))


@pytest.mark.parametrize(("span", "bits", "boundary"), [(32, 1, 256), (64, 2, 512), (128, 3, 1024)])
def test_after_how_many_bytes_a_pattern_begins_again(span, bits, boundary):
    def pattern(base):
        return [moved(base + byte, bits) - base for byte in range(0, 2048, 16)]

    same = [base for base in range(0, 2049, 128) if pattern(base) == pattern(0)]
    assert same == list(range(0, 2049, boundary))
    assert TmaTile((64, 64), 2, (16, 8), span).boundary == boundary


class Barrier:
    """One mbarrier, step by step: what is missing, and which phase it is in."""

    def __init__(self, arrivals):
        self.arrivals = self.missing = arrivals
        self.bytes, self.phase = 0, 0

    def arrive(self, expect=0):
        self.missing -= 1
        self.bytes += expect
        self._flip()

    def report(self, count):
        self.bytes -= count
        self._flip()

    def _flip(self):
        if not self.missing and not self.bytes:
            self.missing, self.phase = self.arrivals, 1 - self.phase

    def over(self, phase):
        """Is this phase complete?"""
        return self.phase != phase


def test_the_phases_are_those_that_barriers_go_through():
    """A new barrier passes a wait for phase 1. Too many bytes never flip it; the right ones do."""
    line = Pipeline(128, 128, 32, stages=3, tiles=9).timeline()
    full, empty = [Barrier(1) for _ in range(3)], [Barrier(1) for _ in range(3)]
    for tile in range(9):
        stage = tile % 3
        assert line.stage[tile] == stage
        assert empty[stage].over(line.empty_phase[tile]), "the copy may go"
        full[stage].arrive(16_384)
        assert not full[stage].over(line.full_phase[tile]), "the MMA must wait"
        full[stage].report(8_192)
        assert not full[stage].over(line.full_phase[tile])
        full[stage].report(8_192)
        assert full[stage].over(line.full_phase[tile]), "the MMA may go"
        assert not empty[stage].over(1 - line.empty_phase[tile]), "the next copy must wait"
        empty[stage].arrive()
    assert (line.stage[7], line.full_phase[7], line.empty_phase[7]) == (1, 0, 1)
    hung, early = Barrier(1), Barrier(1)
    hung.arrive(20_000)
    hung.report(16_384)
    early.arrive(8_192)
    early.report(8_192)  # half of the tile
    assert not hung.over(0) and early.over(0)


def test_exchanged_lbo_and_sbo():
    wrong = [(m, k) for m in range(64) for k in range(16) if core(m, k, 128, 256) != core(m, k, 256, 128)]
    assert len(wrong) == 896 and len({m for m, _ in wrong}) == 64
    right, other = MatrixDescriptor(0, 128, 256, 0, "K"), MatrixDescriptor(0, 256, 128, 0, "K")
    assert np.count_nonzero(right.addresses(64, 16, 2) != other.addresses(64, 16, 2)) == 896
    assert right.addresses(64, 16, 2)[17, 10] == core(17, 10, 128, 256) == 660


def test_44_settings_and_none_conflicts():
    settings = cases("wgmma_rate")
    assert len(settings) == 44 and {c["cycles"] for c in settings} == {18.0}
    assert sum(c["swizzle_bytes"] == 0 for c in settings) == 16
    assert len({(c["lbo_bytes"], c["sbo_bytes"]) for c in settings}) == 22
    assert (64 * 16 + 8 * 16) * 2 == 18 * 128


def test_what_writing_the_two_tiles_costs():
    """Eight lanes write a row of 64 halves, four rows a warp."""
    lanes = [(row, 8 * piece) for row in range(64) for piece in range(8)]
    plain = [core(m, k, 1024, 128) for m, k in lanes]
    assert (banks(plain), banks([moved(128 * m + 2 * k) for m, k in lanes])) == (512, 64)
    row = [core(0, k, 1024, 128) for k in range(0, 64, 8)]
    assert {a // 4 % 32 for a in row} == {0}
    for piece in range(8):  # a core matrix of the swizzled tile, and one of the other, lie in all banks
        for column in (
            [moved(128 * m + 16 * piece) for m in range(8)],
            [core(m, 8 * piece, 1024, 128) for m in range(8)],
        ):
            assert {(a // 4 + w) % 32 for a in column for w in range(4)} == set(range(32))
    for name, count, copies in (("((8,8),(8,8)):((8,64),(1,512))", 512, 8), ("Sw<3,3,3> o 0 o (64,64):(64,1)", 64, 1)):
        assert f"{count} wavefronts" in vector_copy(Layout((64, 64), (4096, 1)), parse_layout(name), 2).summary()
        assert tma_boxes(name, 2).copies == copies
        assert isinstance(descriptor_of(name, 2), MatrixDescriptor)
    with pytest.raises(CuteLabError, match="no descriptor reads"):
        descriptor_of("(64,64):(64,1)", 2)


def test_boxes_beside_plain_bytes():
    table = {loop: [cycles(loop, s) for s in (2, 3, 4)] for loop in ("together", "producer", "tensor")}
    assert table == {"together": [648, 596, 582], "producer": [389, 310, 306], "tensor": [436, 330, 328]}


def test_the_bits_of_both_descriptors():
    fields = 16 // 16 << 16 | 1024 // 16 << 32
    assert MatrixDescriptor(0, 16, 1024, 128, "K").encode() == fields | 1 << 62
    assert UmmaDescriptor(0, 16, 1024, 128, "K").encode() == fields | 1 << 46 | 2 << 61


def test_a_barrier_that_is_told_another_number_of_bytes_hangs():
    """Measured: told nothing it lets everybody through; a wait for the other phase, too, until a stage is used again."""
    trials = measured_hopper("barrier_bytes")
    right = (128 + 128) * 64 * 2
    assert {c["right"] for c in trials.cases} == {right} and len(trials) == 39
    for case in trials.cases:
        other = case["wait"] == "the other phase"
        assert case["ended"] == (case["tiles"] < 3 if other else case["told"] in (0, right))
        assert (case["wrong_elements"] is None) == (not case["ended"])
        if case["ended"]:
            exact = case["told"] == right and not other
            assert case["wrong_elements"] == 0 if exact else case["wrong_elements"] > 0.98 * 128 * 128


def lines(text):
    """Lines of code without comments, brackets at their ends and spaces."""
    bare = (re.sub(r"\s(//|#).*", "", line).strip() for line in text.splitlines())
    return [line for line in bare if line not in ("", "}")]


@pytest.mark.parametrize(("language", "file"), [("cpp", "producer.cu"), ("python", "producer_dsl.py")])
def test_the_code_of_the_lesson_stands_in_the_compiled_kernels(language, file):
    prose = "\n".join("".join(c["source"]) for c in NOTEBOOK["cells"] if c["cell_type"] == "markdown")
    (shown,) = re.findall(rf"```{language}\n(.*?)```", prose, re.DOTALL)
    whole = lines((ROOT / "docs" / "hopper" / file).read_text(encoding="utf-8"))
    found = iter(whole)
    assert len(lines(shown)) >= 7
    for line in lines(shown):
        assert line in found, line  # in this order


WRONG = [
    ("hopper.1", 128, "exist"),
    ("hopper.1", 512, "twice"),
    ("hopper.1", 256, "two edges"),
    ("hopper.2", lambda base, row: base + 128 * row, "without swizzle"),
    ("hopper.2", lambda base, row: base + moved(128 * row), "offset in the tile"),
    ("hopper.2", lambda base, row: moved(base + 128 * row) - base, "distance from the base"),
    ("hopper.3", (40, 3), "did not matter"),
    ("hopper.3", (11, 16), "changed places"),
    ("hopper.3", (16, 3), "one LBO left"),
    ("hopper.4", 30_720, "whole boxes"),
    ("hopper.4", 24_576, "2 bytes"),
    ("hopper.4", 196_608, "four stages"),
    ("hopper.4", 16_384, "copy of B"),
    ("hopper.5", (4, 2), "S - 1"),
    ("hopper.5", (3, 3), "567"),
    ("hopper.5", (5, 3), "so do fewer"),
    ("hopper.5", (2, 3), "more stages would still help"),
]


@pytest.mark.parametrize(("id", "answer", "words"), WRONG)
def test_a_wrong_answer_is_told_its_idea(id, answer, words):
    reply = find_exercise(id).check(answer)
    assert reply.state == "bad" and words in f"{reply.sentence} {reply.second}"


RIGHT = [
    ("hopper.1", "384"),
    ("hopper.1", 16 * 32 - 8 * 16),
    ("hopper.2", lambda base, row: moved(base + 128 * row)),
    ("hopper.2", lambda base, row: (base + 128 * row) ^ ((base // 128 + row) % 8 * 16)),
    ("hopper.3", [16, 11]),
    ("hopper.3", "(16, 11)"),
    ("hopper.4", "49,152 bytes"),
    ("hopper.5", (4, 3)),
]


@pytest.mark.parametrize(("id", "answer"), RIGHT)
def test_a_right_answer_is_right_however_it_is_spelled(id, answer):
    assert find_exercise(id).check(answer).state == "good"


@pytest.mark.parametrize(
    ("id", "answer", "words"),
    [
        ("hopper.b", "b", "counts the whole box"),
        ("hopper.c", 0, "offsets in the tile"),
        ("hopper.d", (1, 1), "flips once a round"),
        ("hopper.e", 532, "exchanged"),
        ("hopper.a", 355, "no shorter"),
        ("hopper.f", 16, "32 banks"),
        ("hopper.g", 648, "does not come back"),
    ],
)
def test_a_prediction_hears_what_was_different(id, answer, words):
    assert words in find_prediction(id).reveal(answer).second
