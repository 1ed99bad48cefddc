"""The colours of verdicts and bars, written out apart from the program: what every topic's pictures are held against."""

import re

from cutelab.course.card.picture import Bars

WOULD_DO = re.compile(r"(\d[\d,]*)(?: \w+)?(?: cycles)?,? where (\d[\d,]*)(?: cycles)? would do")
FREE = "free of bank conflicts; the bytes alone"


def rule(count, ideal):
    """Green at the ideal, amber up to twice as much, red above."""
    return "good" if count <= ideal else "note" if count <= 2 * ideal else "bad"


def warp(sentence):
    """The layout's sentence on a warp, each of its reads in the words of the other topics.

    >>> warp("One warp, 4 bytes a lane, column 0: 32 wavefronts, row 0: 1, the diagonal: 2; 1 would do.")
    '32 where 1 would do; 1; 2 where 1 would do'
    """
    once = re.search(r"; (\d+) would do\.$", sentence)
    said = []
    for n, m in re.findall(r": (\d+)(?: wavefronts?| sectors?)?(?: \((\d+) would do\))?", sentence):
        least = m or (once[1] if once else n)
        said.append(f"{n} where {least} would do" if int(n) > int(least) else n)
    return "; ".join(said)


def wrong(picture):
    """Which verdicts and bars of this picture break the rule? Each as a text; and how many were judged."""
    found, judged = [], 0
    for verdict in picture.verdicts:
        text = f"{verdict.sentence} {verdict.second}"
        if verdict.sentence.startswith("One warp, "):
            text = warp(verdict.sentence)
        pairs = [(int(n.replace(",", "")), int(m.replace(",", ""))) for n, m in WOULD_DO.findall(text)]
        states = {rule(n, m) for n, m in pairs} | ({"note"} if FREE in text else set())
        judged += bool(states)
        worst = "bad" if "bad" in states else "note"
        if states and verdict.state != worst:
            found.append(f"{verdict.state} should be {worst}: {text}")
    for bar in (b for row in picture.body for column in row for p in column if isinstance(p, Bars) for b in p.bars):
        if bar.ideal is not None and bar.state != "plain":
            judged += 1
            if bar.state != rule(bar.value, bar.ideal):
                found.append(f"{bar.state} should be {rule(bar.value, bar.ideal)}: {bar}")
    return found, judged
