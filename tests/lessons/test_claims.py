"""Each claim's computation finds the verdict and the numbers that C++ and counting gave; and the lab that asks them."""

import hashlib
import json
import re
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from cutelab import offsets, picture
from cutelab.course.lab import claims as claims_view
from cutelab.course.lab.lessons import find_lesson, find_prediction
from cutelab.course.topics.claims import layout_algebra, swizzles_and_layouts, thread_maps
from cutelab.course.topics.claims.claim import claim, found
from cutelab.course.topics.claims.lesson import TEN, TOPICS, find_claim
from cutelab.cutlass.strips import StripThreadMap
from cutelab.lessons import claims, claims_table, classroom, predict, progress, results

FACTS = json.loads((Path(__file__).parents[1] / "data" / "claims.json").read_text(encoding="utf-8"))["claims"]
CLAIMS = [one for every in TOPICS.values() for one in every]
each = pytest.mark.parametrize("one", CLAIMS, ids=lambda one: one.id)


def test_all_claims_are_asked_in_their_order():
    assert [one.id for one in CLAIMS] == list(FACTS)
    assert Counter(fact["verdict"] for fact in FACTS.values()) == {"false": 49, "true": 32, "half": 23, "unknown": 2}


@each
def test_the_computation_finds_the_verdict_and_the_right_sentence_names_the_numbers(one):
    fact, sentence = FACTS[one.id], one.sentence().replace("_", "")
    assert one.settle().verdict == fact["verdict"]
    for number in fact["said"]:
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", sentence), (number, sentence)
    assert not re.search(r"\{[a-z]\w+\}", sentence) and "np." not in sentence and sentence.endswith((".", ".)"))


@each
def test_a_statement_is_in_words_of_our_own(one):
    words = " ".join(re.findall(r"[a-z0-9]+", one.text.lower()))
    assert hashlib.sha256(words.encode()).hexdigest()[:16] != FACTS[one.id]["paraphrase"]
    assert one.text.endswith((".", ".)")) and one.text != one.correct


@each
def test_what_is_shown_is_what_ran_and_can_be_read(one):
    lines = one.code().splitlines()
    assert len(lines) <= 12 and max(map(len, lines)) <= 116 and "return found(" in one.code()
    assert one.computed or one.source  # what nothing computes was looked up somewhere
    assert one.told().startswith(f"verdict: {one.settle().verdict}") and "np." not in one.told()
    assert not one.lesson or find_lesson(one.lesson).notebook


@pytest.mark.long
@pytest.mark.parametrize("one", [one for one in CLAIMS if one.picture], ids=lambda one: one.id)
def test_the_picture_can_be_called(one):
    assert picture(one.picture).picture.title


def strip(t, row_pitch, pitch, strips):
    return t % pitch + t // pitch % strips * row_pitch + t // pitch // strips * (pitch * strips * row_pitch)


def sectors(offsets, size):
    return len({offset * size // 32 for offset in offsets})


def ways(offsets):
    return max(Counter(word % 32 for word in set(offsets)).values())


LANES = range(32)
BY_HAND = {
    "A07": {"begin": [strip(t, 16, 8, 4) for t in (0, 8, 16, 24)]},
    "A08": {"begin": strip(32, 16, 8, 4), "row": strip(32, 16, 8, 4) // 16, "next": 4 * 16},
    "A09": {"differ": sum(strip(t, 16, 8, 1) != strip(t, 16, 8, 4) for t in LANES), "strips_1": 128, "plain": 16},
    "A10": {"spans": [len({t // p for t in LANES}) for p in (4, 8, 16, 32, 64)]},
    "A11": {
        "float32": sectors([strip(t, 16, 8, 4) for t in LANES], 4),
        "half": sectors([strip(t, 16, 8, 4) for t in LANES], 2),
        "ideal": 32 * 2 // 32,
    },
    "A12": {
        "counts": [sectors([strip(t, 128, p, 32) for t in LANES], 4) for p in (1, 2, 4, 8, 16, 32, 64, 128)],
        "worst": max(sectors([strip(t + 32 * w, 100, 32, 32) for t in LANES], 4) for w in range(8)),
    },
    "A13": {"lines": 1, "count": 32 * 4 // 32, "wide": 32 * 16 // 128},
    "A15": {"line": 128, "moved": 32, "per_line": 4},
    "A17": {"different": ways([32 * t for t in LANES]), "same": ways([0] * 32)},
    "A18": {"ways": [ways([strip(t, 32, p, 4) for t in LANES]) for p in (4, 8, 16, 32)]},
    "A19": {"ways": [ways([strip(t, 33, 8, s) for t in LANES]) for s in (1, 2, 4, 8)]},
    "A20": {f"rows_{s}": tuple(sorted({strip(t, 16, 8, s) // 16 for t in LANES})) for s in (1, 2, 4)},
    "A22": {
        "outside": sum(strip(t, 16, 8, 2) // 16 > 15 for t in LANES),
        "outside_8": sum(strip(t, 8, 8, 2) > 127 for t in LANES),
        "begin": strip(16, 8, 8, 2),
    },
    "A23": {"elements": 128, "each": 4},
    "A24": {"held": [(5 // 4 + m, 5 % 4 * 2 + k) for m in (0, 8) for k in (0, 1)]},
    "A31": {"begin": [strip(t, 16, 8, 4) for t in range(0, 64, 8)]},
}


@pytest.mark.parametrize("id", BY_HAND)
def test_figures_of_thread_maps_are_what_counting_by_hand_gives(id):
    figures = find_claim(id).settle().figures
    assert {name: figures[name] for name in BY_HAND[id]} == BY_HAND[id]


def test_with_another_formula_the_verdicts_change(monkeypatch):
    """The verdicts are computed: with the third term mended, the next block does follow on, and no row is skipped."""

    class Mended(StripThreadMap):
        def get_offset(self, thread):
            return thread % self.pitch + thread // self.pitch * self.row_pitch

    monkeypatch.setattr(thread_maps, "StripThreadMap", Mended)
    for id, verdict in (("A08", "true"), ("A09", "true"), ("A18", "false")):
        assert find_claim(id).settle().verdict == verdict
    assert find_claim("A20").settle().verdict == "false"


ONE = SimpleNamespace(count=1, ideal=1, degree=1)
FOUR = SimpleNamespace(count=4, ideal=4, lines=1)
FAULTS = [
    (thread_maps, "wavefronts", lambda access: ONE, {"A17": "true", "A19": "false"}),
    (thread_maps, "sectors", lambda access: FOUR, {"A11": "false", "A12": "true", "A15": "true"}),
    (layout_algebra, "composition", lambda a, b: b, {"B09": "false", "B27": "false"}),
    (layout_algebra, "offsets", lambda layout: 0 * offsets(layout), {"B08": "true"}),
    (swizzles_and_layouts, "wavefronts", lambda access: ONE, {"C25": "true", "C28": "false", "C29": "false"}),
    (swizzles_and_layouts, "offsets", lambda layout: 0 * offsets(layout), {"C06": "false", "C14": "false"}),
]


@pytest.mark.parametrize("module, name, broken, changed", FAULTS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_broken_library_changes_the_verdicts(module, name, broken, changed, monkeypatch):
    monkeypatch.setattr(module, name, broken)
    for id, verdict in changed.items():
        assert find_claim(id).settle().verdict == verdict != FACTS[id]["verdict"]


def test_what_was_looked_up_shows_no_lines():
    @claim("X1", "A warp has 64 lanes.", "It has {lanes}.", source="a book")
    def looked_up():
        return found("false", lanes=32)

    @claim("X2", "A warp has 64 lanes.", "It has {lanes}.")
    def computed():
        lanes = 8 * 4
        return found("true" if lanes == 64 else "false", lanes=lanes)

    assert not looked_up.computed and computed.computed
    assert computed.code().splitlines() == [
        "lanes = 8 * 4",
        'return found("true" if lanes == 64 else "false", lanes=lanes)',
    ]


# -- the lab


def test_ten_at_a_time_and_on_where_you_left_off(restart, monkeypatch):
    page = claims("thread maps")
    assert page.number == 1 and [c.id for c in page.claims] == [f"A{n:02}" for n in range(1, TEN + 1)]
    for one in page.claims:
        page.lock(one.id, "false", sure=one.id != "A02")
    restart()
    monkeypatch.setattr(claims_view, "_shown", {})
    assert claims("thread maps").number == 2
    assert claims(" Thread Maps ", 1).head == "thread maps, 1 to 10 of 32: 10 of these 10 answered"
    last = claims("thread maps", 4)
    assert [c.id for c in last.claims] == ["A31", "A32"]


def test_before_an_answer_nothing_is_told_and_after_it_everything():
    page = claims("thread maps", 2)
    one = find_claim("A18")
    for told in (one.sentence(), one.told(), "StripThreadMap"):
        assert told not in repr(page) and told not in page.outputs()[1]["text/html"]
    view = page.lock("A18", "true")
    assert (view.answer, view.sure, view.locked) == ("true", True, True)
    assert (
        "A18: false. You said true." in repr(page)
        and one.sentence() in repr(page)
        and one.code().splitlines()[-1] in repr(page)
    )
    kept = page.outputs()[1]["text/html"]
    assert "<img" in kept and "case_strips.ipynb" in kept and "verdict: false" in kept
    assert page.lock("A18", "false").answer == "true"  # the first answer stays
    assert view._control.disabled and view._button.description == "Locked in"


def test_the_buttons_lock_in_with_a_guess():
    (view,) = [view for view in claims("thread maps", 1).views if view.claim.id == "A07"]
    view._lock_typed()
    assert not view.locked
    view._control.value, view._guess.value = "true", True
    view._lock_typed()
    assert view.answer == "true" and view.sure is False
    assert "A07: true, as you said." in repr(view)


def test_what_was_looked_up_names_the_file():
    view = claims("thread maps", 3).lock("A25", "half")
    assert "No computation settles this" in repr(view) and "mma_tensor_op.h" in repr(view)


def test_the_table_says_where_you_were_sure_and_wrong(fresh):
    page = claims("thread maps", 1)
    page.lock("A01", "true")
    page.lock("A02", "true", sure=False)
    page.lock("A07", "true")
    page.outputs()
    page.lock("A08", "half", sure=False)
    assert "4 of these 10" in page.outputs()[1]["text/html"]
    table = claims_table()
    assert table.table.rows[0] == ("thread maps", "32", "4", "2", "1", "2", "1")
    assert [miss.claim.id for miss in table.misses] == ["A01"]
    assert "08_thread_map.ipynb" in table._repr_html_() and "You said true, it is false" in repr(table)
    (row,) = [row for row in progress().rows if row[0] == "15_claims"]
    assert row[-1] == f"4 of {len(CLAIMS) + 1}"
    results("Ada", path=fresh / "results.json")
    (ada,) = classroom(fresh).learners
    assert ada.sure_and_wrong == 1


def test_an_empty_table_says_so():
    table = claims_table()
    assert table.table.caption == f"0 of {len(CLAIMS)} statements answered" and table.misses == ()


def test_what_does_not_exist_is_said_in_words():
    for made in (claims("warps"), claims(3), claims("thread maps", 9), claims("thread maps", "2")):
        assert made.state == "bad" or made.state == "note"
        assert "thread maps" in repr(made) and "Traceback" not in repr(made)
    assert "there is no prediction" in repr(predict("claims.A99")).lower()
    assert find_prediction("claims.A18").claim is find_claim("a18")
