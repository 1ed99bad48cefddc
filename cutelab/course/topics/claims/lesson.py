"""What the claims lab asks: each statement is a prediction, with four answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cutelab.core.errors import CuteLabError
from cutelab.course.ask.exercise import Exercise, Prediction, Reply
from cutelab.course.ask.kinds import Choice
from cutelab.course.ask.reading import shown
from cutelab.course.topics.claims import thread_maps
from cutelab.course.topics.claims.claim import Claim, Verdict

TOPICS: dict[str, tuple[Claim, ...]] = {
    "thread maps": thread_maps.CLAIMS,
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
        mine = self.kind.read(answer, self.id)
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


EXERCISES: tuple[Exercise, ...] = ()
PREDICTIONS: tuple[Prediction, ...] = tuple(question(one) for every in TOPICS.values() for one in every)
