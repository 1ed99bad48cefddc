"""The memory rules once more, slow and obvious: one lane after the other, sets and dictionaries, no arrays."""

from collections import defaultdict

from cutelab.hardware.chip import H200


def degree(lanes, access_bytes, chip=H200):
    """lanes: byte addresses of the active lanes of one group."""
    banks = defaultdict(set)
    for address in lanes:
        for byte in range(address, address + access_bytes):
            word = byte // chip.word_bytes
            banks[word % chip.banks].add(word)
    return max((len(words) for words in banks.values()), default=0)


def merged(address, active):
    for x in (1, 2):
        if all(address[i] == address[i ^ x] or not (active[i] and active[i ^ x]) for i in range(len(address))):
            return True
    return False


def groups_of(kind, access_bytes, address, active, chip=H200):
    """The lanes that go together, as lists of lane numbers: as many groups as a lane has words; a matrix has 8 lanes."""
    size = chip.lanes
    if kind in ("ldmatrix", "stmatrix"):
        size = 8
    elif access_bytes > chip.word_bytes:
        size = chip.lanes // (access_bytes // chip.word_bytes)
        if kind == "load" and merged(address, active):
            size *= 2
    return [range(first, first + size) for first in range(0, chip.lanes, size)]


def wavefronts(kind, access_bytes, address, active, chip=H200):
    """(wavefronts, ideal) of one warp; plain lists."""
    here = [i for i in range(chip.lanes) if active[i]]
    words = {byte // chip.word_bytes for i in here for byte in range(address[i], address[i] + access_bytes)}
    ideal = max(1, -(-len(words) // chip.banks))
    if kind == "atomic":
        lanes_in_bank = defaultdict(int)
        for i in here:
            lanes_in_bank[address[i] // chip.word_bytes % chip.banks] += 1
        return max(lanes_in_bank.values()), ideal
    groups = groups_of(kind, access_bytes, address, active, chip)
    return sum(degree([address[i] for i in g if active[i]], access_bytes, chip) for g in groups), ideal


def sectors(access_bytes, address, active, chip=H200):
    """(sectors, ideal, distinct bytes, lines) of one warp."""
    used = {b for i in range(chip.lanes) if active[i] for b in range(address[i], address[i] + access_bytes)}
    moved, lines = ({b // size for b in used} for size in (chip.sector_bytes, chip.line_bytes))
    return len(moved), -(-len(used) // chip.sector_bytes), len(used), len(lines)
