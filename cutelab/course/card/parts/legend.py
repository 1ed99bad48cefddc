"""Entries of the legend that several topics share."""

from __future__ import annotations

from cutelab.course.card.picture import Key

CATEGORIES = 8


def modulo(what: str, letter: str, many: int) -> Key:
    """Which of the eight colours is which thread, value, warp ...? A small cell for each, and what is counted.

    letter   before a number, where it is one's name
    many     how many there are: "modulo 8" is said only where there are more than colours

    >>> modulo("warp", "W", 4).names, modulo("warp", "W", 4).text
    (('W0', 'W1', 'W2', 'W3'), 'warp')
    >>> modulo("thread", "T", 64).names, modulo("thread", "T", 64).text
    (('0', '1', '2', '3', '4', '5', '6', '7'), 'thread modulo 8')
    """
    if many > CATEGORIES:
        return Key(f"{what} modulo {CATEGORIES}", "names", "category", 0, tuple(map(str, range(CATEGORIES))))
    return Key(what, "names", "category", 0, tuple(f"{letter}{k}" for k in range(many)))
