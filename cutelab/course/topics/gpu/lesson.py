"""What lesson gpu asks: its predictions and its exercises."""

from __future__ import annotations

from random import Random

from cutelab.course.ask.exercise import Exercise, Prediction, Wrong
from cutelab.course.ask.functions import Function
from cutelab.course.ask.kinds import Value
from cutelab.hardware.chip import H200


def element(block: int, threads: int, thread: int) -> int:
    """The element of a thread, where each thread takes one."""
    return block * threads + thread


def owner(index: int, threads: int) -> tuple[int, int]:
    """The (block, thread) that takes this element."""
    return divmod(index, threads)


def lane_and_warp(thread: int) -> tuple[int, int]:
    """The place of a thread in its warp, and the number of the warp in its block."""
    return thread % H200.lanes, thread // H200.lanes


def blocks_for(elements: int, threads: int) -> int:
    """The fewest blocks with a thread for each element."""
    return -(-elements // threads)


def warps_at_work(elements: int, threads: int) -> int:
    """The warps of a copy that have at least one element."""
    return sum(-(-min(threads, elements - first) // H200.lanes) for first in range(0, elements, threads))


def in_four_steps(block: int, threads: int, thread: int, step: int) -> int:
    """The element of a thread in this step, where a block takes four times as many elements as it has threads."""
    return block * (4 * threads) + step * threads + thread


def taken_by(index: int) -> str:
    """Which thread takes this element, where blocks have 96 threads?"""
    if index < 0:
        return "elements are counted from 0 on."
    block, thread = owner(index, 96)
    return f"element {index} is taken by thread {thread} of block {block}."


def threads_of(warp: int) -> str:
    """Which threads of a block of 96 are in this warp?"""
    if not 0 <= warp < 3:
        return f"a block of 96 threads has three warps, 0 to 2; there is no warp {warp}."
    return f"warp {warp} holds threads {32 * warp} to {32 * warp + 31}."


def work_of(warps: int) -> str:
    """What would it mean if so many warps had something to load?"""
    if not 0 < warps <= 32:
        return f"4 blocks of 256 threads are 32 warps; {warps} cannot have something to load."
    first = 32 * (warps - 1)
    if first >= 900:
        return f"the last of {warps} warps would begin at element {first}, and the last element is 899."
    return f"{warps} warps load the elements 0 to {32 * warps - 1}, and there are 900."


def element_of(place: tuple[int, ...]) -> str:
    """Which element does this (block, thread) take, where blocks have 128 threads?"""
    block, thread = place
    if block < 0 or not 0 <= thread < 128:
        return f"a block has threads 0 to 127; thread {thread} is none of them."
    return f"thread {thread} of block {block} takes element {element(block, 128, thread)}."


def thread_of(place: tuple[int, ...]) -> str:
    """Which thread of a block of 256 is this (lane, warp)?"""
    lane, warp = place
    if not 0 <= lane < 32 or not 0 <= warp < 8:
        return f"lanes are 0 to 31, and 256 threads are warps 0 to 7; ({lane},{warp}) is none of these places."
    return f"lane {lane} of warp {warp} is thread {32 * warp + lane}."


def draw_launch(random: Random) -> tuple[int, int]:
    return random.randint(1, 5000), random.choice((32, 64, 128, 256, 512))


def draw_step(random: Random) -> tuple[int, int, int, int]:
    threads = random.choice((32, 64, 96, 128, 256))
    return random.randrange(40), threads, random.randrange(threads), random.randrange(4)


def other_element(random: Random) -> Prediction:
    """The element of another thread."""
    block, threads, thread = random.choice((3, 5, 6)), random.choice((64, 96, 192)), random.choice((7, 11, 45))
    return Prediction(
        id="gpu.a",
        title="One thread, one element",
        kind=Value(given=(("block", block), ("threads of a block", threads), ("thread", thread))),
        question=f"Blocks have {threads} threads, and each thread takes one element. Which one does thread {thread} of block {block} take?",
        right=lambda: element(block, threads, thread),
        replies=(),
        because=f"{block} whole blocks of {threads} elements lie before this block.",
    )


def other_warps(random: Random) -> Prediction:
    """The warps of another launch."""
    elements, threads = random.choice((600, 900, 1500)), random.choice((64, 128))
    return Prediction(
        id="gpu.c",
        title="How many warps load?",
        kind=Value(unit="warps", given=(("elements", elements), ("threads of a block", threads))),
        question=f"{elements} elements, blocks of {threads} threads, one element a thread. How many warps have at least one element to load?",
        right=lambda: warps_at_work(elements, threads),
        replies=(),
        because="32 threads load with one instruction; a warp that is partly idle still counts as one.",
    )


PREDICTIONS = (
    Prediction(
        id="gpu.a",
        title="One thread, one element",
        kind=Value(example="12", given=(("block", 2), ("threads of a block", 96), ("thread", 5)), means=taken_by),
        question="Blocks have 96 threads, and each thread takes one element. Which element does thread 5 of block 2 take?",
        right=lambda: element(2, 96, 5),
        again=other_element,
        replies=(
            Wrong(101, "That is thread 5 of block 1: the blocks count from 0, so two whole blocks lie before block 2."),
            Wrong(5, "Every block has a thread 5. Which block it is must count, too."),
            Wrong(482, "Block and thread have changed places: 5 blocks of 96 are 480."),
            Wrong(69, "That is right for blocks of 32. Here a block has 96 threads, which is 3 warps."),
            Wrong(7, "Adding the two numbers leaves out how many threads a block has."),
            Wrong(198, "Threads count from 0 as well: thread 5 is the sixth, and the sixth element after 192 is 197."),
            Wrong(293, "That is thread 5 of block 3: block 2 comes after blocks 0 and 1."),
        ),
        because="Blocks 0 and 1 take elements 0 to 191, so block 2 begins at 192.",
    ),
    Prediction(
        id="gpu.b",
        title="Which warp?",
        kind=Value(example="7", given=(("thread", 70),), means=threads_of),
        question="A block has 96 threads. Which warp is thread 70 in? (The first one is warp 0.)",
        right=lambda: lane_and_warp(70)[1],
        replies=(
            Wrong(3, "That is the third warp, but the first one is warp 0."),
            Wrong(6, "That is the lane: the place inside the warp."),
            Wrong(1, "Warp 1 holds threads 32 to 63; 70 comes after them."),
            Wrong(8, "A warp has 32 threads, not 8."),
            Wrong(4, "A warp has 32 threads, not 16."),
            Wrong(70, "70 is the thread. Cut the row of threads into pieces of 32."),
        ),
        because="Threads 0 to 31 are warp 0, 32 to 63 are warp 1, and 64 to 95 are warp 2.",
    ),
    Prediction(
        id="gpu.c",
        title="How many warps load?",
        kind=Value(unit="warps", example="8", given=(("elements", 900), ("threads of a block", 256)), means=work_of),
        question="900 elements are copied by 4 blocks of 256 threads. How many warps have at least one element to load?",
        right=lambda: warps_at_work(900, 256),
        again=other_warps,
        replies=(
            Wrong(900, "That would be one for each element. The 32 threads of a warp load with one instruction."),
            Wrong(1024, "That is the number of threads. The 32 threads of a warp load with one instruction."),
            Wrong(28, "28 warps are full. The 4 elements that are left need a warp as well."),
            Wrong(32, "That is how many warps are launched. The last three of them begin behind the last element."),
            Wrong(4, "That is the number of blocks; a block of 256 threads is 8 warps."),
            Wrong(8, "That is one block. There are four of them."),
        ),
        because="900 = 28 · 32 + 4. In the last of these warps only 4 lanes have an element, and still it is one instruction.",
    ),
)


EXERCISES = (
    Exercise(
        id="gpu.1",
        title="Who takes this element?",
        kind=Value("tuple", example="(2, 5)", parts=("block", "thread"), means=element_of),
        question=(
            "Blocks have 128 threads, and each thread takes one element. Which thread takes element 1000? "
            "`answer = (block, thread)`, both counted from 0."
        ),
        right=lambda: owner(1000, 128),
        solution="answer = (1000 // 128, 1000 % 128)",
        hints=(
            "How many whole blocks of 128 elements lie before element 1000?",
            "Whole blocks before it: 1000 // 128. That is the number of its block, because counting starts at 0.",
            "What is left over, 1000 % 128, is the thread in that block.",
        ),
        wrong=(
            Wrong((104, 7), "block and thread have changed places: the block comes first."),
            Wrong((8, 104), "7 whole blocks lie before the element, so its block is number 7: the first is block 0."),
            Wrong((7, 105), "the thread is one too large: the first thread of a block is thread 0."),
            Wrong((31, 8), "you divided by 32, the threads of a warp; a block has 128 here."),
            Wrong((3, 232), "that is right for blocks of 256 threads; here a block has 128."),
            Wrong((7, 8), "8 is the lane, the place in the warp; the question asks for the place in the block."),
            Wrong((0, 1000), "a block has threads 0 to 127 only, so element 1000 belongs to a later block."),
        ),
        because="7 · 128 + 104 = 1000: the division undoes what the index of the kernel does.",
    ),
    Exercise(
        id="gpu.2",
        title="Lane and warp",
        kind=Value("tuple", example="(3, 1)", parts=("lane", "warp"), means=thread_of),
        question="A block has 256 threads in one row. Which lane of which warp is thread 203? `answer = (lane, warp)`.",
        right=lambda: lane_and_warp(203),
        solution="answer = (203 % 32, 203 // 32)",
        hints=(
            "Cut the row of threads into pieces of 32: that is what the hardware does.",
            "The warp is the number of whole pieces before the thread; the lane is what is left over.",
        ),
        wrong=(
            Wrong((6, 11), "lane and warp have changed places: the lane comes first here."),
            Wrong((11, 7), "6 whole warps lie before this thread, so it is in warp 6: the first is warp 0."),
            Wrong((12, 6), "the lane is one too large: lanes are counted from 0, too."),
            Wrong((3, 25), "you divided by 8; a warp has 32 threads."),
            Wrong((11, 12), "you divided by 16; a warp has 32 threads."),
            Wrong((203, 0), "lanes are 0 to 31 only: thread 203 lies in a later warp."),
        ),
        because="6 · 32 + 11 = 203. From here on, lessons speak of lanes and warps.",
    ),
    Exercise(
        id="gpu.3",
        title="How many blocks?",
        name="blocks",
        kind=Function(
            ("elements", "threads"),
            edges=((1000, 256), (1024, 256), (1025, 256), (1, 128), (128, 128), (5000, 32)),
            draw=draw_launch,
        ),
        question=(
            "Write `blocks(elements, threads)`: what is the fewest blocks of `threads` threads, so that every element gets "
            "a thread of its own?"
        ),
        right=blocks_for,
        solution="def blocks(elements, threads):\n    return (elements + threads - 1) // threads",
        hints=(
            "Try 1024 and 1025 elements with 256 threads: the first takes 4 blocks, and one element more takes another.",
            "It is the quotient, rounded up. `//` rounds down.",
            "Add threads - 1 to the elements before you divide: then `//` rounds up.",
        ),
        wrong=(
            Wrong(
                lambda elements, threads: elements // threads,
                "this rounds down: the elements after the last whole block get no thread, and nobody copies them.",
            ),
            Wrong(
                lambda elements, threads: elements // threads + 1,
                "this launches one block too many when the elements fill the blocks exactly.",
            ),
            Wrong(
                lambda elements, threads: round(elements / threads),
                "this rounds to the nearest: if less than half a block is left over, nobody copies it.",
            ),
            Wrong(
                lambda elements, threads: elements / threads,
                "a launch takes a whole number of blocks: round up.",
            ),
            Wrong(
                lambda elements, threads: elements % threads,
                "this is what is left over after whole blocks; the question asks for the number of blocks.",
            ),
            Wrong(
                lambda elements, threads: (elements + 31) // 32,
                "these are warps of 32 threads; a block has `threads` of them.",
            ),
        ),
        because="Rounded up. That is why the kernel needs its `if`: the last block may have threads without an element.",
    ),
    Exercise(
        id="gpu.4",
        title="Finish the index",
        name="index",
        kind=Function(
            ("block", "threads", "thread", "step"),
            edges=((0, 128, 0, 0), (0, 128, 5, 0), (0, 128, 5, 1), (1, 128, 0, 0), (2, 64, 7, 3), (3, 32, 31, 2)),
            draw=draw_step,
        ),
        question=(
            "Now each thread copies 4 elements, in steps 0 to 3, so a block of `threads` threads copies 4 · threads. In each step "
            "its threads take neighbouring elements. Write `index(block, threads, thread, step)`: which element is it?"
        ),
        right=in_four_steps,
        solution="def index(block, threads, thread, step):\n    return block * 4 * threads + step * threads + thread",
        hints=(
            "Begin with block 0 and step 0: thread 0 takes element 0, thread 1 element 1. What does thread 0 take in step 1?",
            "One step is as long as the block has threads. How many elements lie before block 1?",
            "Three terms: block · 4 · threads, and step · threads, and thread.",
        ),
        wrong=(
            Wrong(
                lambda block, threads, thread, step: (block * threads + thread) * 4 + step,
                "here each thread takes four neighbours. In each step the *threads* are to be neighbours.",
            ),
            Wrong(
                lambda block, threads, thread, step: block * threads + step * threads + thread,
                "block 1 begins inside the elements of block 0: a block takes 4 · threads elements.",
            ),
            Wrong(
                lambda block, threads, thread, step: block * threads + thread,
                "the step is missing: all four steps copy the same element.",
            ),
            Wrong(
                lambda block, threads, thread, step: block * threads * 4 + step + thread,
                "a step moves on by one element only, where the neighbour is already. It must pass the whole block.",
            ),
            Wrong(
                lambda block, threads, thread, step: block * 4 * threads + step * 32 + thread,
                "a step is as long as the block has threads; 32 is one warp.",
            ),
            Wrong(
                lambda block, threads, thread, step: step * threads + thread,
                "the block is missing: every block copies the elements of block 0.",
            ),
        ),
        because="Neighbouring threads take neighbouring elements. Why that matters so much is lesson 03.",
    ),
)
