"""Wavefronts: how many passes does shared memory take for one warp's access, and who meets whom in which bank?"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cutelab.hardware import rules
from cutelab.hardware.access import Count, WarpAccess, want_access
from cutelab.hardware.sectors import batch_value


@dataclass(frozen=True)
class Wavefronts:
    """How many wavefronts does the access take, how many would do, and which lane goes when?

    Integers for one warp, read-only integer arrays of the batch's shape for many.

    count   wavefronts of the instruction; Nsight Compute counts the same
    ideal   the fewest that its bytes allow: max(1, ceil(distinct words / 32))
    excess  count - ideal
    ways    the wavefronts of the worst group of lanes: "n-way bank conflict"; 1 means free of conflicts
    """

    access: WarpAccess = field(repr=False)
    count: Count = field(compare=False)
    ideal: Count = field(compare=False)
    excess: Count = field(compare=False)
    ways: Count = field(compare=False)
    _counts: rules.Counts = field(repr=False, compare=False)

    @cached_property
    def group_lanes(self) -> int:
        """How many neighbouring lanes go together? (Of a batch: in its first warp.)"""
        return int(self._counts.group_lanes[0])

    @cached_property
    def degree(self) -> np.ndarray:
        """How many wavefronts does each group of lanes take? Shape (..., groups), 4 on the H200; 0 beyond the last group."""
        return _frozen(self._counts.degree.reshape(*self.access.shape, -1))

    @cached_property
    def groups(self) -> np.ndarray:
        """Which lanes go together? The group of each lane, shape (..., lanes); -1 for an inactive lane."""
        lanes = self._counts.group_lanes.reshape(*self.access.shape, 1)
        return _frozen(np.where(self.access.active, np.arange(self.access.chip.lanes, dtype=np.int64) // lanes, -1))

    @cached_property
    def words(self) -> np.ndarray:
        """Which words does each lane touch? Shape (..., lanes, words a lane); -1 for an inactive lane."""
        chip = self.access.chip
        step = np.arange(max(1, self.access.access_bytes // chip.word_bytes), dtype=np.int64)
        word = chip.word(self.access.byte_address)[..., None] + step
        return _frozen(np.where(self.access.active[..., None], word, -1))

    @cached_property
    def banks(self) -> np.ndarray:
        """In which banks are those words? Shape (..., lanes, words a lane); -1 for an inactive lane."""
        return _frozen(np.where(self.words < 0, -1, self.words % self.access.chip.banks))

    @property
    def word(self) -> np.ndarray:
        """Each lane's (first) word, shape (..., lanes); -1 for an inactive lane."""
        return self.words[..., 0]

    @property
    def bank(self) -> np.ndarray:
        """The bank of each lane's (first) word, shape (..., lanes); -1 for an inactive lane."""
        return self.banks[..., 0]

    @cached_property
    def wavefront_in_group(self) -> np.ndarray:
        """In which wavefront of its group is each lane served, from 0? Shape (..., lanes); -1 for an inactive lane.

        Lanes on the same word share a wavefront. In a bank, the word of the lowest lane goes first. All words of a wide
        lane go together.
        """
        shape = self.access.byte_address.shape
        active, groups = (x.reshape(-1, shape[-1]) for x in (self.access.active, self.groups))
        unit = self.access.byte_address.reshape(-1, shape[-1]) // rules.unit_bytes(self.access)
        out = np.empty(active.shape, dtype=np.int64)
        for start in range(0, len(out), rules.CHUNK):
            part = slice(start, start + rules.CHUNK)
            out[part] = self._order(unit[part], groups[part], active[part])
        return _frozen(out.reshape(shape))

    def _order(self, unit: np.ndarray, groups: np.ndarray, active: np.ndarray) -> np.ndarray:
        """Compare each lane with each other: (warps, lanes, lanes)."""
        lane = np.arange(self.access.chip.lanes, dtype=np.int64)
        banks = self.access.chip.row_bytes // rules.unit_bytes(self.access)
        together = (groups[:, :, None] == groups[:, None, :]) & active[:, :, None] & active[:, None, :]
        if self.access.kind == "atomic":
            leader = np.broadcast_to(lane, unit.shape)
        else:
            leader = np.argmax(together & (unit[:, :, None] == unit[:, None, :]), axis=2)
        same_bank = together & ((unit[:, :, None] - unit[:, None, :]) % banks == 0)
        earlier = (lane < leader[:, :, None]) & (leader == lane)[:, None, :]
        return np.where(active, np.count_nonzero(same_bank & earlier, axis=2), -1)

    @cached_property
    def wavefront(self) -> np.ndarray:
        """In which wavefront of the instruction is each lane served, 0 to count - 1? -1 for an inactive lane.

        The groups follow one another.

        >>> wavefronts(WarpAccess(np.arange(32) // 4 * 128, 4)).wavefront[:10].tolist()
        [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
        """
        before = np.cumsum(self.degree, axis=-1) - self.degree
        start = np.take_along_axis(before, np.maximum(self.groups, 0), axis=-1)
        return _frozen(np.where(self.access.active, start + self.wavefront_in_group, -1))

    def summary(self) -> str:
        """What is the verdict, with its ideal?

        >>> wavefronts(WarpAccess(np.arange(32) * 128, 4)).summary()
        '32 wavefronts where 1 would do (32-way)'
        >>> wavefronts(WarpAccess(np.arange(32) * 16, 16)).summary()
        '4 wavefronts, the ideal'
        """
        count, ideal = int(np.sum(self.count)), int(np.sum(self.ideal))
        ways = int(np.max(self.ways, initial=0))
        noun = "wavefront" if count == 1 else "wavefronts"
        said = self.access.chip.said
        if count == ideal:
            return said(f"{count:,} {noun}, the ideal")
        if ways == 1:
            return said(f"{count:,} {noun}, free of bank conflicts; the bytes alone would need {ideal:,}")
        return said(f"{count:,} {noun} where {ideal:,} would do ({ways}-way)")

    def explain(self) -> str:
        """What is the verdict, and which lanes are the reason?

        >>> print(wavefronts(WarpAccess(np.arange(32) * 128 + 48, 4)).explain())
        32 wavefronts where 1 would do (32-way)
        lanes 0, 1, 2 ... meet in bank 12, each on its own word
        >>> print(wavefronts(WarpAccess(np.zeros(32, int), 4)).explain())
        1 wavefront, the ideal
        all 32 lanes on one word, a broadcast
        """
        return f"{self.summary()}\n{self.reason()}"

    def reason(self) -> str:
        """Which lanes meet in which bank? (The second line of `explain`; of a batch, its worst warp.)"""
        if not self.access.warps:
            return "no warps"
        degree = self._counts.degree
        warp, group = (int(i) for i in np.unravel_index(int(np.argmax(degree)), degree.shape))
        of_warp = f"warp {warp}: " if self.access.shape else ""
        if degree[warp, group] > 1:
            return of_warp + self._meeting(warp, group)
        chip = self.access.chip
        lanes = int(self.access.active.reshape(-1, chip.lanes)[warp].sum())
        distinct = int(self._counts.distinct[warp])
        size = self.access.access_bytes
        every = f"all {lanes} lanes" if lanes > 1 else "one lane"
        if size <= chip.word_bytes:
            if distinct == 1 and lanes > 1:
                return f"{of_warp}{every} on one word, a broadcast"
            return f"{of_warp}{lanes} {_lanes(lanes)} in {distinct} {'bank' if distinct == 1 else 'banks'}"
        if distinct < lanes:
            return f"{of_warp}{lanes} lanes share {distinct} {'place' if distinct == 1 else 'places'} of {size} bytes"
        words = lanes * size // chip.word_bytes
        fill = f" = {words // chip.banks} x {chip.banks} banks" if words % chip.banks == 0 else ""
        return f"{of_warp}{lanes} {_lanes(lanes)} x {size} bytes = {words} words{fill}"

    def _meeting(self, warp: int, group: int) -> str:
        """The lanes that lead the wavefronts of the fullest bank in this group."""
        here, order, bank = (
            x.reshape(-1, self.access.chip.lanes)[warp] for x in (self.groups, self.wavefront_in_group, self.bank)
        )
        here = here == group
        last = int(np.flatnonzero(here & (order == order[here].max()))[0])
        meeting = np.flatnonzero(here & (bank == bank[last]))
        leaders = meeting[np.unique(order[meeting], return_index=True)[1]].tolist()
        if len(leaders) > 3:
            names = ", ".join(map(str, leaders[:3])) + " ..."
        else:
            names = ", ".join(map(str, leaders[:-1])) + f" and {leaders[-1]}"
        width = self.words.shape[-1]
        first = int(bank[last])
        place = f"bank {first}" if width == 1 else f"banks {first} to {first + width - 1}"
        if self.access.kind == "atomic":
            return f"lanes {names} meet in {place}; an atomic that returns the old value serves them one by one"
        own = "its own word" if width == 1 else f"its own {width} words"
        return f"lanes {names} meet in {place}, each on {own}"


def wavefronts(access: WarpAccess) -> Wavefronts:
    """How many wavefronts (passes) does shared memory take for this access?

    32 banks of 4 bytes: bank = byte address // 4 % 32. degree(lanes) = over the banks, the largest number of distinct
    words that these lanes touch in one bank; lanes on one word share it.

        load, store of 1, 2, 4 bytes; reduce   degree(all 32 lanes)
        store of 8 / 16 bytes                  sum of degree over groups of 16 / 8 lanes
        load of 8 / 16 bytes                   the same; groups of 32 / 16 lanes if the warp is pairwise merged
        ldmatrix, stmatrix x1 / x2 / x4        sum of degree over 1 / 2 / 4 groups of 8 lanes
        atomic that returns the old value      the most active lanes in one bank, also on the same word

    Pairwise merged: for x = 1 or for x = 2 every lane i reads the address of lane i ^ x, or one of the two is inactive.
    Of another chip these are its lanes, banks and words; an access of w words a lane goes in w groups (a matrix in groups
    of 8 lanes), and the verdict says that nobody measured it.
    Source: fitted to the wavefront counters of an NVIDIA H200; see `cutelab.hardware.measured`.

    >>> wavefronts(WarpAccess(np.arange(32) * 128, 4)).count, wavefronts(WarpAccess(np.arange(32) * 132, 4)).count
    (32, 1)
    >>> wavefronts(WarpAccess(np.arange(32) * 16, 16))
    Wavefronts(count=4, ideal=4, excess=0, ways=1)
    """
    want_access(access, "wavefronts")
    counts = rules.count(access)
    total = np.add.reduce(counts.degree, axis=1)
    words = counts.distinct * (rules.unit_bytes(access) // access.chip.word_bytes)
    ideal = -(-words // access.chip.banks)
    return Wavefronts(
        access,
        count=batch_value(total, access),
        ideal=batch_value(ideal, access),
        excess=batch_value(total - ideal, access),
        ways=batch_value(np.maximum.reduce(counts.degree, axis=1), access),
        _counts=counts,
    )


def _lanes(count: int) -> str:
    return "lane" if count == 1 else "lanes"


def _frozen(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
