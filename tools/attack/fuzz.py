"""Fuzz every reader, of records and settings and of documents, with so many inputs in all.

    python tools/attack/fuzz.py [--total 1000000] [--seed S] [--processes N] [--only TARGET]

Each input is made from its target, the seed and its number, so a finding is repeated by the same seed and total.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import fuzz_readers
import fuzz_records
from harness import Tally, compile_kernels, in_forks, preload


def fuzz_documents(reader: str, count: int, seed: int, share: tuple[int, int]) -> Tally:
    """Damaged files of one form of documents; one in twenty is read by both engines."""
    files = {reader: fuzz_readers.seeds()[reader]}
    outcomes, findings = fuzz_readers.fuzz(files, count, seed, share=share)
    compared, differences = fuzz_readers.fuzz(files, count // 20, seed + 1, engines=True, share=share)
    return Tally(reader, outcomes.total() + compared.total(), findings + differences)


def targets() -> dict[str, Callable[[int, int, tuple[int, int]], Tally]]:
    """What is fuzzed, by name; called with the number of inputs, the seed, and the share."""
    found = {name: partial(fuzz_records.fuzz, name) for name in fuzz_records.targets()}
    return found | {f"documents: {name}": partial(fuzz_documents, name) for name in fuzz_readers.seeds()}


def fuzz_all(count: int, seed: int, processes: int, names: Sequence[str] = ()) -> Iterator[Tally]:
    """So many inputs for each target, each read by several processes."""
    known = targets()
    for name in names or known:
        shares = [(n, processes) for n in range(processes)]
        yield in_forks([partial(known[name], count, seed, share) for share in shares], f"fuzz: {name}")


def main(arguments: Sequence[str] | None = None) -> None:
    known = targets()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--total", type=int, default=1_000_000, help="inputs in all (default: 1000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--only", choices=list(known), action="append", help="only this; may be repeated")
    options = parser.parse_args(arguments)
    preload()
    compile_kernels()
    names = options.only or list(known)
    count = -(-options.total // len(names))
    failures = tried = 0
    for tally in fuzz_all(count, options.seed, options.processes, names):
        print(tally.row(), flush=True)
        new = [failure for failure in tally.failures if ": as before: " not in failure]
        print("".join(f"    {failure[:600]}\n" for failure in new[:20]), end="", flush=True)
        failures, tried = failures + len(tally.failures), tried + tally.tried
    print(f"{tried:,} inputs, {failures:,} findings")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
