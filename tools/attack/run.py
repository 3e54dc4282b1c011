"""Run the attacks and print a table: class, tried, clear, failed; and how to repeat each failure.

    python tools/attack/run.py [--class X] [--without X] [--count N] [--seed S] [--document] [--list]

Clear is an answer equal to the undamaged one, or a refusal in one line with status 1 or 2. Failed is a traceback, a
crash, a hang, another answer without a word, or anything outside that was touched. `--document` writes the table into
SECURITY.md.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import concurrency
import fault_injection
import forged_index
import fuzz
import hostile_documents
import hostile_engines
import hostile_folders
import hostile_lab
import hostile_machines
import hostile_requests
import hostile_strategies
import hostile_streams
import hostile_text
import little_room
import slow_inputs
import stored_damage
from harness import Tally, as_done, compile_kernels, materials, preload, together

SECURITY = Path(__file__).parents[2] / "SECURITY.md"
BEGIN, END = "<!-- made by tools/attack/run.py --document -->", "<!-- end -->"
Job = Callable[[], Tally]


def of_cases(name: str, cases: Callable[..., Iterator[tuple[str, str]]], *more: object) -> Job:
    def attack() -> Tally:
        tally = Tally(name)
        for what, fault in cases(*more):
            tally.note(what, fault)
        return tally

    return attack


def classes(base: Path, count: int, seed: int) -> dict[str, list[Job]]:
    """Every class of attack, as jobs that can be done at the same time.

    `count` is the number of random cases of each kind, where there are any.
    """
    found: dict[str, list[Job]] = {}
    modules = (
        hostile_documents, hostile_engines, hostile_machines, hostile_strategies, hostile_folders, hostile_text,
        hostile_streams, slow_inputs, concurrency,
    )  # fmt: skip
    for module in modules:
        for name, cases in module.CLASSES.items():
            parts = cases if isinstance(cases, tuple) else (cases,)
            found[name] = [of_cases(name, part, base) for part in parts]
    found["hostile options"] = [of_cases("hostile options", hostile_text.attack_options, base, count, seed)]
    for pages in (hostile_requests.JUDGING, hostile_requests.REVIEWING):
        name = f"requests to the {pages.name} pages"
        found[name] = [of_cases(name, hostile_requests.attack_requests, base, count, seed, pages)]
    found["uploads and requests to a lab"] = [
        of_cases("uploads and requests to a lab", hostile_lab.attack_lab, base, count, seed),
        of_cases("uploads and requests to a lab", hostile_lab.slow_uploads, base),
    ]
    for kind in stored_damage.KINDS:
        found[f"damaged {kind}"] = [partial(stored_damage.damage, kind, base, count, seed)]
    found["forged index"] = [partial(forged_index.forged, base, count // 4, seed)]
    found["fuzzed records and documents"] = [partial(target, count, seed, (0, 1)) for target in fuzz.targets().values()]
    most = max(count // 10, 1)
    found["failing and killed writes"] = [
        partial(fault_injection.attack_job, name, base, seed=seed, most=most) for name in fault_injection.JOBS
    ]
    most = max(count // 20, 3)
    found["little room"] = [
        partial(little_room.attack_job, name, limit, base, most)
        for limit in little_room.SAYS
        for name in little_room.ALL_JOBS
    ]
    return found


def attack_all(known: dict[str, list[Job]], at_once: int) -> Iterator[Tally]:
    """Do all attacks, so many at once; yields the tally of each class as soon as the last of its jobs is done."""
    jobs = [(name, job) for name, each in known.items() for job in each]
    done: dict[str, list[Tally]] = {name: [] for name in known}
    for number, tally in as_done([job for _, job in jobs], at_once):
        name = jobs[number][0]
        done[name].append(tally)
        if len(done[name]) == len(known[name]):
            yield together(name, done[name])


def document(tallies: Sequence[Tally], path: Path = SECURITY) -> None:
    """Write the table of these attacks into the document, between its two marks, in place of the one before."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: has no place for the table ({BEGIN} … {END})")
    # Rows of an earlier run would be those of other code: a table is of one run.
    made = f"Made on {datetime.date.today()} from commit {commit()}."
    path.write_text(f"{before}{BEGIN}\n{made}\n\n{table(tallies)}\n{END}{after}", encoding="utf-8")


def commit() -> str:
    """The commit of this checkout, and whether files differ from it; unknown where there is no git."""
    asked = ["git", "-C", str(SECURITY.parent), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "unknown"


def table(tallies: Sequence[Tally]) -> str:
    head = "| class of attack | tried | clear | failed |\n|---|---:|---:|---:|"
    return "\n".join([head, *(tally.row() for tally in tallies), together("all", tallies).row()])


def main(arguments: Sequence[str] | None = None) -> None:
    known = classes(Path(), 0, 0)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--class", dest="names", action="append", choices=list(known), help="only this; may be repeated"
    )
    parser.add_argument("--without", action="append", choices=list(known), default=[], help="not this; may be repeated")
    parser.add_argument("--count", type=int, default=100, help="random cases of each kind (default: 100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2, help="how many attacks at once (default: 2)")
    parser.add_argument("--document", action="store_true", help="write the table into SECURITY.md")
    parser.add_argument("--list", action="store_true", help="list the classes")
    options = parser.parse_args(arguments)
    if options.document and (options.names or options.without):
        parser.error("--document is of all classes")
    if options.list:
        print("\n".join(known))
        return
    begin, done = time.monotonic(), {}
    with tempfile.TemporaryDirectory(prefix="attack-") as place:
        base = materials(Path(place) / "base")
        preload()
        compile_kernels()
        all_classes = classes(base, options.count, options.seed)
        names = [name for name in options.names or known if name not in options.without]
        chosen = {name: all_classes[name] for name in names}
        for tally in attack_all(chosen, options.processes):
            done[tally.name] = tally
            print(f"{time.monotonic() - begin:5.0f} s, {tally.seconds:4.0f} s of a core {tally.row()}", flush=True)
            print("".join(f"    {failure}\n" for failure in tally.failures[:60]), end="", flush=True)
    tallies = [done[name] for name in chosen]
    print(table(tallies))
    if options.document:
        document(tallies)
    sys.exit(any(tally.failures for tally in tallies))


if __name__ == "__main__":
    main()
