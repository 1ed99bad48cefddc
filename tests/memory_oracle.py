"""The memory rules once more, slow and obvious: one lane after the other, sets and dictionaries, no arrays."""

from collections import defaultdict


def degree(lanes, access_bytes):
    """lanes: byte addresses of the active lanes of one group."""
    banks = defaultdict(set)
    for address in lanes:
        for byte in range(address, address + access_bytes):
            word = byte // 4
            banks[word % 32].add(word)
    return max((len(words) for words in banks.values()), default=0)


def merged(address, active):
    for x in (1, 2):
        if all(address[i] == address[i ^ x] or not (active[i] and active[i ^ x]) for i in range(32)):
            return True
    return False


def groups_of(kind, access_bytes, address, active):
    """The lanes that go together, as lists of lane numbers."""
    size = 32
    if kind in ("ldmatrix", "stmatrix"):
        size = 8
    elif access_bytes == 8:
        size = 32 if kind == "load" and merged(address, active) else 16
    elif access_bytes == 16:
        size = 16 if kind == "load" and merged(address, active) else 8
    return [range(first, first + size) for first in range(0, 32, size)]


def wavefronts(kind, access_bytes, address, active):
    """(wavefronts, ideal) of one warp; plain lists."""
    here = [i for i in range(32) if active[i]]
    words = {byte // 4 for i in here for byte in range(address[i], address[i] + access_bytes)}
    ideal = max(1, -(-len(words) // 32))
    if kind == "atomic":
        lanes_in_bank = defaultdict(int)
        for i in here:
            lanes_in_bank[address[i] // 4 % 32] += 1
        return max(lanes_in_bank.values()), ideal
    groups = groups_of(kind, access_bytes, address, active)
    return sum(degree([address[i] for i in g if active[i]], access_bytes) for g in groups), ideal


def sectors(access_bytes, address, active):
    """(sectors, ideal, distinct bytes, lines) of one warp."""
    used = {b for i in range(32) if active[i] for b in range(address[i], address[i] + access_bytes)}
    return len({b // 32 for b in used}), -(-len(used) // 32), len(used), len({b // 128 for b in used})
