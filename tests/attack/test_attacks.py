"""Short forms of the attacks in tools/attack: a few of each class. `make soak` runs the attacks themselves."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Attack = Callable[[str], str]


@pytest.mark.parametrize(
    "job",
    [
        "evaluate",
        "run",
        "index",
        "index add",
        "index update and merge",
        "collection build again",
        "grid",
        "judge import",
        "judge export",
    ],
)
def test_failing_and_killed_writes(attack: Attack, job: str) -> None:
    """A few calls of some jobs; `make soak` runs all of tools/attack/fault_injection.py."""
    code = f"from fault_injection import attack_job\nfor f in attack_job({job!r}, base, most=3).failures: print(f)"
    assert attack(code) == ""


@pytest.mark.parametrize(
    ("limit", "jobs"),
    [
        ("disk", ["judge import", "lab init"]),
        ("file", ["run", "judge import"]),
        ("descriptors", ["grid"]),
        ("memory", ["index"]),
    ],
)
def test_little_room(attack: Attack, limit: str, jobs: list[str]) -> None:
    """A few sizes of some jobs; `make soak` runs all of tools/attack/little_room.py."""
    most = 3 if limit in ("memory", "descriptors") else 4
    code = f"""
from little_room import attack_job
tallies = [attack_job(name, {limit!r}, base, {most}) for name in {jobs!r}]
print(all(tally.tried for tally in tallies), *(failure for tally in tallies for failure in tally.failures), sep="\\n")
"""
    tried, *failures = attack(code).splitlines()
    if tried == "False":
        pytest.skip("no small disk can be mounted here")
    assert failures == []


def test_fuzzed_records(attack: Attack) -> None:
    """A few inputs for each target; `make soak` runs tools/attack/fuzz.py with 400,000."""
    code = """
from fuzz_records import fuzz, targets
for name in targets():
    if name != "manifests":
        for failure in fuzz(name, 12, 1).failures: print(failure)
"""
    assert attack(code) == ""


@pytest.mark.parametrize(
    "kind",
    [
        "cache",
        "unfinished run",
        "pool and its record",
        "journal of judging",
        "people",
        "campaign",
        "vectors",
        "index with dead documents",
        "index with dead documents, checked",
        "grid, checked",
        "crawl",
        "tables of a crawl, checked",
    ],
)
def test_damaged_files(attack: Attack, kind: str) -> None:
    """A few damages of each kind; `make soak` gives every file 200 flipped bits and 50 cuts."""
    if "crawl" in kind:
        for package in ("aiohttp", "protego", "selectolax", "warcio"):
            pytest.importorskip(package, reason=f"the crawler needs the package {package}")
    code = f"from stored_damage import damage\nfor f in damage({kind!r}, base, 24, 1).failures: print(f)"
    assert attack(code) == ""


def test_names_in_identities(attack: Attack) -> None:
    code = """
from itertools import islice
from hostile_folders import attack_identities
for what, fault in islice(attack_identities(base), 6):
    if fault: print(what, fault)
"""
    assert attack(code) == ""


def test_many_writers(attack: Attack) -> None:
    code = """
from concurrency import attack_threads
for what, fault in attack_threads(base, 300):
    if fault: print(what, fault)
"""
    assert attack(code) == ""


def test_entities_and_archives(attack: Attack) -> None:
    code = """
from itertools import islice
from harness import attempt
from hostile_documents import _built, entity_files, zips
with attempt(base) as place:
    files = list(entity_files(place.outside))
cases = [(what, "x.xml", content) for what, content in files]
cases += [(what, "x.zip", content) for what, content in islice(zips(), 9)]
for what, name, content in cases:
    what, fault = _built(base, what, name, content)
    if fault: print(what, fault)
"""
    assert attack(code) == ""


def test_the_table_is_written_between_its_marks(attack: Attack) -> None:
    code = """
import tempfile
from harness import Tally
from run import BEGIN, END, document
with tempfile.NamedTemporaryFile("w+", suffix=".md") as file:
    file.write(f"before\\n{BEGIN}\\nold\\n{END}\\nafter\\n")
    file.flush()
    document([Tally("x", 1000, ["it broke"])], Path(file.name))
    print(Path(file.name).read_text())
"""
    text = attack(code)
    assert text.startswith("before\n")
    assert text.endswith("after")
    assert "| x | 1,000 | 999 | 1 |" in text
    assert re.search(r"^Made on \d{4}-\d\d-\d\d from commit \S+[.]$", text, re.MULTILINE)
    assert "old" not in text


@pytest.mark.parametrize("pages", ["JUDGING", "REVIEWING"])
def test_requests_to_the_pages(attack: Attack, pages: str) -> None:
    """Some of the forged and misshapen requests; `make soak` sends 20,000."""
    for package in ("fastapi", "jinja2", "uvicorn"):
        pytest.importorskip(package, reason=f"the judging pages need the package {package}")
    code = f"""
import hostile_requests
for what, fault in hostile_requests.attack_requests(base, 5, 1, hostile_requests.{pages}):
    if fault: print(what, fault)
"""
    assert attack(code) == ""


def test_results_that_are_kept_are_no_change_of_a_lab(attack: Attack) -> None:
    """A lab computes them beside its answers; the first time it names their files in its identity."""
    code = """
import tempfile
from hostile_lab import AttackedLab
server, folder = object.__new__(AttackedLab), Path(tempfile.mkdtemp())
server.work, server.changes, server.seen = folder, 0, {}
(folder / "lab").mkdir()
identity, seen = folder / "lab" / "leadline.jsonl", []
for text in ('{"name": "lab.store"}', '{"name": "lab.store"}\\n{"name": "results.store"}', '{"name": "other"}'):
    identity.write_text(text)
    seen.append(server.stored())
print(seen)
"""
    assert attack(code) == "[1, 1, 2]"


def test_requests_to_a_lab(attack: Attack) -> None:
    """Bad uploads, forged forms, other roles and a blind lab; tools/attack/run.py sends more of them, and slow ones."""
    for package in ("fastapi", "jinja2", "uvicorn"):
        pytest.importorskip(package, reason=f"the pages of a lab need the package {package}")
    code = """
from hostile_lab import attack_lab
for what, fault in attack_lab(base, 2, 1):
    if fault: print(what, fault)
"""
    assert attack(code) == ""
