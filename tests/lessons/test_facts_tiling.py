"""The numbers that stand in the words of lesson tiling's exercises are what the library computes."""

import numpy as np

from cutelab import Layout, blocked_product, logical_divide, offsets, zipped_divide
from cutelab.course.lab.lessons import find_exercise, find_prediction
from cutelab.course.topics.tiling.cut import cut
from cutelab.course.topics.tiling.lesson import TILES, begins, inside, owner, same_cut
from cutelab.course.topics.tiling.words import cpp_coordinate, slice_coordinate


def test_predictions():
    assert [find_prediction(f"tiling.{x}").answer() for x in "abcdef"] == [5132, 23, 10, "8", "(2,3):(1,8)", 224]
    assert str(TILES) == "((4,8),(32,16)):((1,128),(4,1024))" and TILES(0, (3, 5)) == 5132 == 3 * 4 + 5 * 1024
    assert Layout((128, 128))(3, 5) == 643 and TILES(0, (0, 5)) == 5120
    assert Layout((128, 128), (128, 1))(12, 40) == 1576 and 3 * 4 + 5 * 4 * 128 == 2572
    assert TILES(0, 5) == TILES(0, (5, 0)) == 20


def test_twelve_tiles():
    assert str(logical_divide(Layout((12, 32)), Layout((4, 8)))) == "((4,8),12):((1,4),32)"


def test_plain_numbers_and_their_wrong_answers():
    assert TILES(0, 5) == 20 and TILES(3, (0, 5)) == 5123 and Layout((128, 128))(3, 5) == 643
    two = blocked_product(Layout(4, 8), Layout(2, 5))
    assert offsets(two).ravel(order="F").tolist() == [0, 8, 16, 24, 5, 13, 21, 29]


def test_the_complement():
    a = [0, 4, 8, 24, 28, 32]
    assert sorted(x + y for x in a for y in offsets(find_exercise("tiling.6").right()).ravel().tolist()) == list(
        range(48)
    )
    assert sorted(x + y for x in (0, 1, 6, 7) for y in (0, 2, 4, 12, 14, 16)) == list(range(24))


def test_the_guard_at_the_edge():
    held = [inside(10, 14, 4, 4, 2, 3, r, c) for r in range(4) for c in range(4)]
    assert sum(held) == 2 * 2 and Layout((10, 14))(0, 13) == 10 + 12 * 10


def test_the_line_is_the_explorers():
    tiles = {op: cut(op, Layout((64, 64)), (8, 16)) for op in ("zipped_divide", "tiled_divide", "logical_divide")}
    lines = {op: f"t({cpp_coordinate(slice_coordinate(t, 2 + t.grid[0] * 3))})" for op, t in tiles.items()}
    exercise = find_exercise("tiling.2")
    assert exercise.check(lines["zipped_divide"]).state == "good"
    assert "tiled_divide" in exercise.check(lines["tiled_divide"]).sentence
    assert "logical_divide" in exercise.check(lines["logical_divide"]).sentence


def test_begins_and_the_same_cut():
    assert begins(128, 128, 4, 8, 3, 5) == 5132
    by_tuple = zipped_divide(Layout((8, 8)), (4, 2))
    by_layout = zipped_divide(Layout((8, 8)), same_cut())
    assert (offsets(by_tuple) == offsets(by_layout)).all()
    columns = zipped_divide(Layout((8, 8)), Layout((4, 2)))
    assert np.unique(offsets(columns)[:, 0] // 8).size == 1


def test_the_owner():
    assert owner(5, 12) == (5 % 2, 12 % 5) == (1, 2)
    blocked = blocked_product(Layout((4, 8)), Layout((2, 5)))
    assert blocked(5, 12) in offsets(blocked((None, 1), (None, 1))) + blocked((0, 1), (0, 1))
