"""Whether groups are families: the short form of the study in docs/duplicates.md, and the benchmark in small."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import leadline as ll
from leadline.collections.duplicates.find import compare_with_families, read_pairs

ROOT = Path(__file__).parents[3]


@pytest.fixture
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("duplicates_benchmark", ROOT / "benchmarks/duplicates.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pairs_in_groups_and_families() -> None:
    texts = {"a": "one two", "b": "one two", "c": "one two", "d": "three", "e": "three", "f": "four"}
    found = ll.duplicates(texts)
    pairs = [("a", "b"), ("b", "c"), ("d", "f"), ("f", "elsewhere")]
    precision, recall, named = compare_with_families(found, pairs, list(texts))
    assert (precision, recall, named) == (3 / 4, 3 / 4, 2 / 3)


def test_pairs_of_one_type(tmp_path: Path) -> None:
    (tmp_path / "c.tsv").write_text("citing\tcited\ttype\nx\ty\tF\nx\tz\tI\n")
    assert read_pairs(tmp_path / "c.tsv", "F") == [("x", "y")]


def test_near_duplicates_among_american_patents_are_mostly_families(shared: Path) -> None:
    """1 500 of the 10 000 patents: those of the first 600 families, and others."""
    import json
    import lzma

    wanted: dict[str, None] = {}
    for line in (shared / "patents/us_api/families.tsv").read_text().splitlines()[:600]:
        wanted.update(dict.fromkeys(line.split("\t")[1].split()))
    texts: dict[str, str] = {}
    with lzma.open(shared / "patents/us_api/docs_10k.jsonl.xz", "rt", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if record["id"] in wanted or len(texts) < 500:
                texts[record["id"]] = "\n".join(record[name] or "" for name in ("title", "abstract", "description"))
            if len(texts) >= 1500:
                break
    pairs = read_pairs(shared / "patents/us_api/citations.tsv", "F")
    found = ll.duplicates(texts, resemblance=0.8)
    scored = compare_with_families(found, pairs, list(texts))
    assert scored.precision > 0.6
    assert scored.recall > 0.2
    assert {*found.group_of} == {*ll.duplicates(texts, resemblance=0.8, exact=True).group_of}


def test_the_benchmark_in_small(benchmark: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rensa", reason="a peer in the benchmarks")
    monkeypatch.setenv("LEADLINE_ENGINE", "compiled")
    table, least = benchmark.speed(texts=50, repeat=1)
    assert len(table.rows) == 4
    assert least > 0
    growth = benchmark.growth([2000, 4000])
    assert [row[0] for row in growth.rows] == [2000, 4000]
    assert all(row[-1].split(" of ")[0] == row[-1].split(" of ")[1] for row in growth.rows)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- speed -->\nold\n<!-- end -->\nafter\n")
    monkeypatch.setattr(benchmark, "PAGE", page)
    benchmark.write_part("speed", table.render("markdown"))
    assert page.read_text().startswith("before\n<!-- speed -->\n| job |")
    assert page.read_text().endswith("<!-- end -->\nafter\n")


@pytest.mark.soak
def test_the_document_has_todays_numbers(shared: Path, soak: bool) -> None:
    if not soak:
        pytest.skip("makes the study again, of which the test of 1 500 patents is the short form: make soak")
    script = ROOT / "benchmarks" / "duplicates.py"
    found = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
