"""The numbers in the words of lessons 01 to 05, counted in plain Python: nothing of the library."""

from collections import Counter
from itertools import pairwise

LANES = range(32)


def ways(words):
    """The most different words in one of 32 banks."""
    return max(Counter(word % 32 for word in set(words)).values())


def swizzled(offset, bits, base, shift):
    """Bits XORed one by one; the lower of the two groups starts at `base`."""
    source, target = (base + shift, base) if shift > 0 else (base, base - shift)
    for bit in range(bits):
        offset ^= (offset >> (source + bit) & 1) << (target + bit)
    return offset


def test_a_thread_and_its_warp():
    threads = [(block, thread) for block in range(4) for thread in range(256)]
    assert threads.index((1, 0)) == 256 and len(threads) - 900 == 124
    assert (40 % 32, 40 // 32) == (8, 1)


def test_the_colleagues_layout():
    def offset(row, col):
        return row % 4 * 2 + row // 4 * 16 + col % 2 + col // 2 * 8

    block = {offset(row, col) for row in range(4) for col in range(8)}
    assert block == set(range(32)) and offset(4, 0) == offset(0, 4) == 16


def test_interleaved_columns():
    row = [1 * 2 + col % 2 + col // 2 * 12 for col in range(4)]
    assert row == [2, 3, 14, 15] and [b - a for a, b in pairwise(row)] == [1, 11, 1]


def test_the_store_with_four_neighbours_in_a_row():
    found = {p: ways([t % 8 * p + t // 8 for t in LANES]) for p in (128, 129, 132)}
    assert found == {128: 8, 129: 4, 132: 1}
    assert {(t % 8 * 129 + t // 8) % 32 for t in LANES} == set(range(11))


def test_the_recipe():
    assert swizzled(171, 3, 0, 5) == 174 and (171 // 8, 171 % 8, 174 // 8, 174 % 8) == (21, 3, 21, 6)
    assert swizzled(19, 3, 0, 3) == 17 and swizzled(3, 3, 0, -3) == 27 and swizzled(8, 2, 3, -4) == 136
    column = [8 * row + 3 for row in LANES]
    assert [ways([swizzled(o, 3, 0, s) for o in column]) for s in (3, 4, 5)] == [4, 2, 1]
    square = [32 * row + 3 for row in LANES]
    assert [ways([swizzled(o, b, 0, s) for o in square]) for b, s in ((3, 3), (3, 5), (5, 5))] == [16, 4, 1]
