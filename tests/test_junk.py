"""Every public function with junk for every argument: an answer or one CuteLabError comes out, in time, and nothing else."""

import inspect
import random
import re
import time
from importlib import import_module

import numpy as np
import pytest

from cutelab import ComposedLayout, CuteLabError, Layout, Swizzle, WarpAccess, matrix_layout, mma_atom

ROOMS = ("core", "algebra", "hardware", "cutlass", "advise")
DEEP: object = 4
for _ in range(1000):
    DEEP = [DEEP]
LOOP: list = [1]
LOOP.append(LOOP)
DOUBLED: object = (1,)
for _ in range(22):
    DOUBLED = (DOUBLED, DOUBLED)
LANES = np.arange(32) * 4
JUNK = [
    *(None, True, 0, 1, 2, 4, 7, -1, 8, 16, 32, 2.5, float("nan"), 2**31, 2**62, 2**63, 10**400, 10**5000, -(10**400)),
    *(
        "x",
        "",
        "(4,2)",
        "(8,8):(8,1)",
        "Sw<3,0,3> o 0 o (8,8):(8,1)",
        "Sw<2,0,3>",
        "a\0b",
        "\u202e4:1",
        "o" * 1000,
        "4:1;",
    ),
    *("load", "half", "RowMajor", "RowMajo", "SM80_16x8x16_F32F16F16F32_TN", "SM80_16x8", "A", "t // 8", b"4:1"),
    *(
        (),
        (4, 2),
        (None, 1),
        [1, [2]],
        (4, 10**400),
        (1, "x"),
        {},
        {4},
        range(10**12),
        range(8),
        slice(None),
        object(),
        Layout,
    ),
    *(
        DEEP,
        LOOP,
        DOUBLED,
        Layout(4),
        Layout((8, 8), (8, 1)),
        Layout((2, 3), (0, -1)),
        Layout((10**6, 10**6)),
        Swizzle(1, 0, 1),
    ),
    *(
        ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)"),
        ComposedLayout(Layout(2), 3, Layout(4)),
        Layout((8192, 8192), (8192, 1)),
    ),
    *(
        np.arange(4),
        np.array(5),
        np.array([]),
        np.array(["a"]),
        np.zeros((2, 2)),
        np.int64(4),
        LANES,
        WarpAccess(LANES, 4),
    ),
    *(matrix_layout("RowMajor", (4, 4), 4), mma_atom("SM80_16x8x16_F32F16F16F32_TN"), lambda x: x, Ellipsis, 1j),
]
GOOD = [
    Layout((8, 8), (8, 1)),
    "(8,8):(8,1)",
    4,
    (4, 2),
    "SM80_16x8x16_F32F16F16F32_TN",
    WarpAccess(LANES, 4),
    LANES,
    "half",
]


def public():
    """Every function and class of the rooms, once; types that only name others are left out."""
    found = {}
    for room in ROOMS:
        module = import_module(f"cutelab.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and not (isinstance(thing, type) and issubclass(thing, BaseException)):
                found[f"{room}.{name}"] = thing
    return {name: thing for name, thing in found.items() if takes(thing)}


def takes(thing):
    """How many positional arguments, at least and at most; None for what has no signature, as `int | tuple`."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    free = [p for p in parameters if p.kind in kinds]
    some = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    least = len([p for p in free if p.default is inspect.Parameter.empty])
    return (least, len(free) + 2 * some) if free or some else None


def keywords(thing):
    """The keyword arguments that must be given."""
    parameters = inspect.signature(thing).parameters.values()
    return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty]


PUBLIC = public()
# Results that only functions make: their constructors trust the function, and nobody types them.
MADE = {"cutlass.Tiler", "cutlass.Coordinate"}  # tuples that `read` returns
SECONDS = 3.0  # of processor time for one call on a busy machine; 1 is the aim, seen in the benchmark of bad input


def refusal(call):
    """The text of the CuteLabError that a call ends with, '' when it answers; everything else fails the test."""
    try:
        call()
    except CuteLabError as error:
        return str(error)
    return ""


def draw(rng, names):
    name = rng.choice(names)
    least, most = takes(PUBLIC[name])
    count = rng.randint(max(least, 1), max(most, 1))
    names = keywords(PUBLIC[name])
    given = [rng.choice(GOOD if rng.random() < 0.45 else JUNK) for _ in range(count + len(names))]
    return name, given[:count], dict(zip(names, given[count:], strict=True))


def tried(rng, count):
    seen = {"answered": 0, "refused": 0}
    names = sorted(set(PUBLIC) - MADE)
    for _ in range(count):
        name, args, words = draw(rng, names)
        begin = time.process_time()
        try:
            text = refusal(lambda name=name, args=args, words=words: PUBLIC[name](*args, **words))
        except Exception as error:
            kinds = [type(a).__name__ for a in args]
            pytest.fail(f"{name} of {kinds} ends with {type(error).__name__}: {str(error)[:200]}")
        assert time.process_time() - begin < SECONDS, f"{name} takes too long"
        if text:
            assert len(text) <= 300 and not re.search(r"[\x00-\x09\x0b-\x1f\u202a-\u202e]| at 0x", text), text
        seen["refused" if text else "answered"] += 1
    return seen


@pytest.mark.parametrize("seed", range(4))
def test_some_junk_gets_an_answer_or_one_sentence(seed):
    seen = tried(random.Random(seed), 150)
    assert seen["refused"] > 50 and seen["answered"] > 5


@pytest.mark.long
def test_ten_thousand_draws_of_junk_get_an_answer_or_one_sentence():
    seen = tried(random.Random(20261201), 10_000)
    assert seen["refused"] > 5000 and seen["answered"] > 500


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - MADE))
def test_every_public_function_refuses_what_is_no_argument(name):
    """Each function, each piece of junk in its first place."""
    least, _ = takes(PUBLIC[name])
    words = dict.fromkeys(keywords(PUBLIC[name]), 4)
    for junk in (object(), 10**5000, LOOP, "\u202e\0", np.array(["a"]), {}, 1j):
        text = refusal(lambda junk=junk: PUBLIC[name](junk, *[4] * (max(least, 1) - 1), **words))
        assert len(text) <= 300 and "\0" not in text and "\u202e" not in text
