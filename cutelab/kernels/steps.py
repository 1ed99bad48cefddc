"""From what single threads touched to warp instructions: the n-th time that the lanes of a warp pass an instruction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cutelab.kernels.recorder import BlockLog
from cutelab.kernels.simulator import WARP


@dataclass(frozen=True, eq=False)
class Steps:
    """The warp instructions of a block; lanes that pass an instruction for the n-th time count as together.

    instruction, warp, turn  of each: number of the instruction, the warp, the how-manieth time (from 0)
    address, active          (steps, lanes): byte addresses, and which lanes take part
    first                    position of its first access in the log: the order in which a warp meets them
    epoch                    barriers of the block passed by its first lane
    """

    instruction: np.ndarray
    warp: np.ndarray
    turn: np.ndarray
    address: np.ndarray
    active: np.ndarray
    first: np.ndarray
    epoch: np.ndarray


def turns(log: BlockLog, thread: np.ndarray) -> np.ndarray:
    """For each access: the how-manieth time, from 0, that its thread passes its instruction."""
    count = len(log.address)
    if not count:
        return np.zeros(0, np.int64)
    code = log.instruction.astype(np.int64) * (int(log.thread.max()) + 1) + thread
    order = np.argsort(code, kind="stable")
    code = code[order]
    begins = np.flatnonzero(np.concatenate(([True], code[1:] != code[:-1])))
    rank = np.arange(count) - np.repeat(begins, np.diff(np.append(begins, count)))
    turn = np.empty(count, np.int64)
    turn[order] = rank
    return turn


def warp_instructions(log: BlockLog) -> Steps:
    """The warp instructions of a block, sorted by instruction, warp and turn."""
    stretch = log.stretch
    thread = log.thread[stretch]
    turn = turns(log, thread)
    warp, lane = thread // WARP, thread % WARP
    warps = int(log.thread.max()) // WARP + 1
    most = int(turn.max()) + 1 if len(turn) else 1
    code = (log.instruction.astype(np.int64) * warps + warp) * most + turn
    found, first, step = np.unique(code, return_index=True, return_inverse=True)
    address = np.zeros((len(found), WARP), np.int64)
    active = np.zeros((len(found), WARP), bool)
    address[step, lane] = log.address
    active[step, lane] = True
    return Steps(
        found // most // warps,
        found // most % warps,
        found % most,
        address,
        active,
        first,
        log.epoch[stretch[first]],
    )
