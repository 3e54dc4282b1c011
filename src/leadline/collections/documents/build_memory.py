"""How a build keeps to a budget: fewer processes at a time, and smaller ranges of names when tables are made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from leadline.collections.documents.named_rows import BYTES_A_BYTE, RANGE_BYTES, Room
from leadline.records.scores.result import counted
from leadline.text.files import readable_size
from leadline.text.memory_budget import MemoryBudget

# Measured with benchmarks/memory.py: the libraries and caches of a process, and what each byte of a part takes there.
BASE_BYTES, BYTES_A_PART_BYTE = 150_000_000, 10
SMALLEST_RANGE = 1 << 20


@dataclass(frozen=True)
class ReadingSizes:
    """How many processes read parts, and how many bytes of names are in memory at once when tables are made."""

    processes: int
    range_bytes: int = RANGE_BYTES
    budget: MemoryBudget | None = None

    @classmethod
    def of(cls, processes: int, part_bytes: int, budget: MemoryBudget | None) -> ReadingSizes:
        """The sizes that keep to a budget, which is for all processes together."""
        if budget is None:
            return cls(processes)
        budget.require(least_memory(part_bytes), f"parts of {readable_size(part_bytes)}")
        while processes > 1 and _reading(processes, part_bytes) > budget.size:
            processes -= 1
        room = (budget.size - _tables(part_bytes, 0)) // BYTES_A_BYTE
        range_bytes = max(SMALLEST_RANGE, min(RANGE_BYTES, room))
        at_once = f"{counted(processes, 'part')} of {readable_size(part_bytes)} at a time"
        budget.state(f"{at_once}, and {readable_size(range_bytes)} of names when tables are made")
        return cls(processes, range_bytes, budget)

    def room(self, folder: Path) -> Room:
        return Room(folder, self.range_bytes, self.budget)


def least_memory(part_bytes: int) -> int:
    """The smallest budget for a build, of however many documents."""
    return max(_reading(1, part_bytes), _tables(part_bytes, SMALLEST_RANGE))


def _reading(processes: int, part_bytes: int) -> int:
    """What is held while parts are read: parts that wait are in this process, the others in processes of their own."""
    reading = BASE_BYTES + BYTES_A_PART_BYTE * part_bytes
    return reading if processes == 1 else BASE_BYTES + 2 * (processes + 2) * part_bytes + processes * reading


def _tables(part_bytes: int, range_bytes: int) -> int:
    """What is held while tables are made; half of what reading parts took does not come back from the system."""
    return BASE_BYTES + BYTES_A_PART_BYTE * part_bytes // 2 + BYTES_A_BYTE * range_bytes
