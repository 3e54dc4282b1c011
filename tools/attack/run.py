"""Run the attacks and print a table: class, tried, clear, failed; and how to repeat each failure.

    python tools/attack/run.py [--class X] [--count N] [--seed S] [--document] [--list]

Clear is an answer equal to the undamaged one, or a refusal in one line with status 1 or 2. Failed is a traceback, a
crash, a hang, another answer without a word, or anything outside that was touched. `--document` writes the table into
SECURITY.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import concurrency
import fault_injection
import forged_index
import fuzz
import hostile_documents
import hostile_folders
import hostile_streams
import hostile_text
import slow_inputs
import stored_damage
from harness import Tally, materials, preload

SECURITY = Path(__file__).parents[2] / "SECURITY.md"
BEGIN, END = "<!-- made by tools/attack/run.py --document -->", "<!-- end -->"
PROCESSES = 2  # for the classes with thousands of cases
Attack = Callable[[Path, int, int], Tally]


def of_cases(name: str, cases: Callable[[Path], Iterator[tuple[str, str]]]) -> Attack:
    def attack(base: Path, _count: int, _seed: int) -> Tally:
        tally = Tally(name)
        for what, fault in cases(base):
            tally.note(what, fault)
        return tally

    return attack


def together(name: str, tallies: Sequence[Tally]) -> Tally:
    failures = [failure for tally in tallies for failure in tally.failures]
    return Tally(name, sum(tally.tried for tally in tallies), failures)


def classes() -> dict[str, Attack]:
    """Every class of attack. `count` is the number of random cases of each kind, where there are any."""
    found: dict[str, Attack] = {}
    for module in (hostile_documents, hostile_folders, hostile_text, hostile_streams, slow_inputs, concurrency):
        for name, cases in module.CLASSES.items():
            found[name] = of_cases(name, cases)
    found["hostile options"] = lambda base, count, seed: of_cases(
        "hostile options", lambda base: hostile_text.attack_options(base, count, seed)
    )(base, count, seed)
    for kind in stored_damage.KINDS:
        name = f"damaged {kind}"
        found[name] = lambda base, count, seed, kind=kind: stored_damage.damage(kind, base, count, seed, PROCESSES)  # type: ignore[misc]
    found["forged index"] = lambda base, count, seed: forged_index.forged(base, count // 4, seed)
    found["fuzzed records and documents"] = lambda _base, count, seed: together(
        "", list(fuzz.fuzz_all(count, seed, PROCESSES))
    )
    found["failing and killed writes"] = lambda base, count, seed: together(
        "", list(fault_injection.attack_jobs(base, PROCESSES, seed=seed, most=max(count // 10, 1)))
    )
    return found


def document(tallies: Sequence[Tally], path: Path = SECURITY) -> None:
    """Write the table of these attacks into the document, between its two marks, in place of the one before."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: has no place for the table ({BEGIN} … {END})")
    # Rows of an earlier run would be those of other code: a table is of one run.
    path.write_text(f"{before}{BEGIN}\n{table(tallies)}\n{END}{after}", encoding="utf-8")


def table(tallies: Sequence[Tally]) -> str:
    head = "| class of attack | tried | clear | failed |\n|---|---:|---:|---:|"
    return "\n".join([head, *(tally.row() for tally in tallies), together("all", tallies).row()])


def main(arguments: Sequence[str] | None = None) -> None:
    known = classes()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--class", dest="names", action="append", choices=list(known), help="only this; may be repeated"
    )
    parser.add_argument("--count", type=int, default=100, help="random cases of each kind (default: 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--document", action="store_true", help="write the table into SECURITY.md")
    parser.add_argument("--list", action="store_true", help="list the classes")
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(known))
        return
    tallies = []
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        for name in options.names or known:
            tallies.append(known[name](base, options.count, options.seed))
            tallies[-1].name = name
            print(tallies[-1].row(), flush=True)
            print("".join(f"    {failure}\n" for failure in tallies[-1].failures[:60]), end="", flush=True)
    print(table(tallies))
    if options.document:
        document(tallies)
    sys.exit(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    main()
