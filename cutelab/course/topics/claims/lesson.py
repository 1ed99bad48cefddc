"""What the claims lab asks: each statement is a prediction, with four answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core import Layout, cosize
from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction, Reply, Wrong
from cutelab.course.ask.kinds import Choice, Value
from cutelab.course.ask.reading import shown
from cutelab.course.topics.claims import layout_algebra, swizzles_and_layouts, thread_maps
from cutelab.course.topics.claims.claim import Claim, Verdict

TOPICS: dict[str, tuple[Claim, ...]] = {
    "thread maps": thread_maps.CLAIMS,
    "layout algebra": layout_algebra.CLAIMS,
    "swizzles and layouts": swizzles_and_layouts.CLAIMS,
}
"""The statements by topic, in the order in which they are asked."""

WORDS: dict[Verdict, str] = {"true": "true", "half": "half true", "false": "false", "unknown": "cannot be known"}
"""What each verdict is called on its button."""

TEN = 10


@dataclass(frozen=True)
class ClaimQuestion(Prediction):
    """A statement as a prediction: the right answer is the verdict of its computation, made anew at each call."""

    claim: Claim | None = None

    def reveal(self, answer: Any) -> Reply:
        """What does this answer hear? "good" when it is the verdict, otherwise "note"; and the right sentence."""
        assert self.claim is not None
        mine = self.read(answer)
        finding = self.claim.settle()
        right = self.claim.correct.format(**finding.figures)
        said, is_so = WORDS[mine], WORDS[finding.verdict]
        if mine == finding.verdict:
            return Reply("good", f"{self.claim.id}: {is_so}, as you said.", right)
        return Reply("note", f"{self.claim.id}: {is_so}. You said {said}.", right)


def question(claim: Claim) -> ClaimQuestion:
    """The prediction that asks for this claim's verdict."""
    return ClaimQuestion(
        id=f"claims.{claim.id}",
        title=claim.id,
        kind=Choice(tuple(WORDS.items())),
        question=claim.text,
        right=lambda: claim.settle().verdict,
        replies=(),
        because="",
        source=f"{claim.source} says" if claim.source else "the library computes",
        claim=claim,
    )


def claims_of(topic: str) -> tuple[Claim, ...]:
    """The statements of a topic. Raises CuteLabError, naming the topics, if there is none of this name."""
    if not isinstance(topic, str) or topic.strip().lower() not in TOPICS:
        raise CuteLabError(f"there is no topic {shown(topic)} of claims; there are {', '.join(TOPICS)}")
    return TOPICS[topic.strip().lower()]


def find_claim(id: str) -> Claim:
    """The statement of this id, "A18". Raises CuteLabError, naming the ranges that exist, if there is none."""
    wanted = id.strip().upper() if isinstance(id, str) else ""
    found = next((one for every in TOPICS.values() for one in every if one.id == wanted), None)
    if found is None:
        ranges = ", ".join(f"{every[0].id} to {every[-1].id}" for every in TOPICS.values())
        raise CuteLabError(f"there is no claim {shown(id)}; there are {ranges}")
    return found


def how_many_fit(rows: int, columns: int, steps: int) -> Prediction:
    """For how many column strides does a layout of rows x columns fit into as many elements?"""
    coordinates = rows * columns

    def fitting() -> int:
        return sum(cosize(Layout((rows, columns), (1, step))) <= coordinates for step in range(1, steps + 1))

    return Prediction(
        id="claims.a",
        title="A sentence to try",
        kind=Value(example="3", given=(("number of strides", steps), ("number of coordinates", coordinates))),
        question=(
            f'Somebody writes: "a layout of {coordinates} coordinates fits into {coordinates} elements of memory." Take '
            f"({rows},{columns}):(1,D) with D = 1, 2, ... {steps}. For how many of these {steps} is the sentence true?"
        ),
        right=fitting,
        replies=(
            Wrong(steps, "That would make the sentence true; the widest of them has its last element far behind."),
            Wrong(
                1, f"D = {rows} is the compact one, but smaller D fit as well: some coordinates then share an element."
            ),
        ),
        because=(
            f"The last element lies at {rows} - 1 + ({columns} - 1) * D, so D up to {rows} fits. One D above that is a "
            "counter-example, and the sentence as it stands is half true: true of compact layouts, not of all."
        ),
        again=lambda random: how_many_fit(random.choice((2, 3, 5)), random.choice((4, 6, 7)), random.choice((6, 7, 9))),
    )


EXERCISES: tuple[Exercise, ...] = ()
PREDICTIONS: tuple[Prediction, ...] = (
    how_many_fit(4, 6, 8),
    *(question(one) for every in TOPICS.values() for one in every),
)
