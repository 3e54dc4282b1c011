"""The numbers of documents are those that the program gives today: scripts make them, and are run again here."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from leadline.measures.definition import MEASURES
from leadline.show.papers import beyond
from leadline.show.papers.beyond import without_options

ROOT = Path(__file__).parents[1]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "benchmarks"))
        patch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
    return module


def block(document: str, name: str) -> str:
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    found = re.search(rf"<!-- {name} -->\n(.*?)\n<!-- end -->", text, flags=re.DOTALL)
    assert found is not None, f"{document} has no part {name}"
    return found[1]


def check(name: str) -> None:
    """Run a script that compares what it computes with the document."""
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_table_made_from_the_shared_data(shared: Path) -> None:
    """That of derived-qrels.md is made in tests/judge/citations/test_from_shared_data.py."""
    check("cube_gamma")


@pytest.mark.soak
def test_effectiveness(shared: Path, soak: bool) -> None:
    if not soak:
        pytest.skip("searches a real collection with every system: make soak")
    pytest.importorskip("bm25s", reason="the peer is not installed")
    check("effectiveness")


@pytest.mark.soak
@pytest.mark.parametrize("name", ["bearing", "simulated_office", "tuned"])
def test_tables_made_from_simulated_offices(name: str, soak: bool) -> None:
    if name != "bearing" and not soak:
        pytest.skip("makes several offices: make soak")
    check(name)


def test_a_document_with_other_numbers_is_found(tmp_path: Path) -> None:
    marked = script("marked_document")
    page = tmp_path / "page.md"
    page.write_text("<!-- means -->\n\n<!-- end -->\n\n<!-- short form:\n\n-->\n", encoding="utf-8")
    rows = {"means": "| bm25 | 0.315 | 7e-05 |\n| dph | **0.317** | 1 |", "short form": "| bm25 | .31 |"}
    marked.fill(page, rows)
    assert not marked.differences(page, rows)
    assert not marked.differences(page, {"means": "| bm25 | **0.316** | 7e-05 |\n| dph | 0.316 | 1 |"})  # rounding
    for other in ("0.313 | 7e-05 |", "0.315 | 8e-05 |"):
        (line,) = marked.differences(page, {"means": f"| bm25 | {other}\n| dph | **0.317** | 1 |"})
        assert other in line
    assert marked.differences(page, {"means": "| bm25 | 0.315 | 7e-05 |"})
    assert marked.differences(page, {"short form": "| bm25 | .33 |"})
    with pytest.raises(SystemExit, match="has the mark medians 0 times"):
        marked.fill(page, {"medians": ""})


def test_citations_and_truth() -> None:
    """The tables are those of the stored study, and so are the numbers that the text repeats."""
    found = beyond.shipped()
    for name, table in script("citations_truth").tables(found).items():
        assert block("citations-and-truth.md", name) == table, name
    text = " ".join((ROOT / "docs/citations-and-truth.md").read_text(encoding="utf-8").split())
    mean, low, _ = found.interval(found.tau)
    top = found.interval(found.tau_ap)[0][0]
    at = {without_options(measure): m for m, measure in enumerate(found.measures)}
    assert f"{len(found.runs)}. The eight named after groups" in text
    read_few = [at[f"{name}@{effort}"] for name in ("AP", "R", "PRES", "CT") for effort in (20, 100)]
    few = mean[0, read_few]
    assert f"all have τ {few.min():.2f} to {few.max():.2f}" in text
    assert (
        f"Only PRES@100 reaches {mean[0, at['PRES@100']]:.2f}, and its interval begins at {low[0, at['PRES@100']]:.2f}"
        in text
    )
    assert f"(τ_AP {top[read_few].min():.2f} to {top[read_few].max():.2f})" in text
    lead, least, most = found.lead(found.judged[0], "PRES@100", "AP@100")
    assert f"above AP@100 in the same office by {lead:.2f} ({least:.2f} to {most:.2f}" in text
    recall, pres, precision = (mean[0, at[f"{name}@500"]] for name in ("R", "PRES", "AP"))
    assert f"recall falls to {recall:.2f}, PRES stays at {pres:.2f} and AP at {precision:.2f}" in text
    relevant = found.judged.index("cited and relevant")
    assert f"without those, recall is back at {mean[relevant, at['R@500']]:.2f}" in text
    chance = found.judged.index("as many at random")
    by_chance = mean[chance]
    assert f"PRES@100 {by_chance[at['PRES@100']]:.2f} and R@100 {by_chance[at['R@100']]:.2f}" in text
    spread = mean[:4].max(axis=0) - mean[:4].min(axis=0)
    assert f"all four kinds agree to {spread.max():.2f}" in text


def test_the_number_of_measures() -> None:
    count = len(MEASURES)
    assert f"[{count} in all](docs/tour.md#measures)" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"beside everything trec_eval has. {count} in all:" in (ROOT / "docs/tour.md").read_text(encoding="utf-8")
    assert f"- {count} measures, among them PRES" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_page_of_search_speed_says_first_where_another_program_is_faster() -> None:
    """Before any other number, and of every kind of query that is measured."""
    text = (ROOT / "docs/search-speed.md").read_text(encoding="utf-8").partition("\n\n")[2]
    assert text.startswith("Where another program is faster comes first")
    search = script("search")
    measured = search.Measured(["tantivy", "bm25s"], None)
    measured.add("fresh", ["20,000", 3, 10], {"leadline": 50.0, "tantivy": 60.0, "bm25s": 20.0})
    measured.add("fresh", ["20,000", 5, 10], {"leadline": 50.0, "tantivy": 60.0})
    assert measured.summary() == (
        "- **Fresh words:** behind in 1 of 2 cells: bm25s in 1 (up to 2.5 times: 20,000 documents, 3 words, k 10)."
    )
    assert measured.rows["fresh"] == [
        "| 20,000 | 3 | 10 | 50 | 1.20 | 0.40 | bm25s is faster |",
        "| 20,000 | 5 | 10 | 50 | 1.20 | – | ours |",
    ]


def test_the_page_of_reviewing_times_the_same_work_on_both_sides() -> None:
    """Whole commands, from the start of Python to the order on the disk."""
    text = " ".join((ROOT / "docs/reviewing.md").read_text(encoding="utf-8").split())
    assert "the same work in the clock: the processor time of whole commands" in text
    assert "fastest everywhere" not in text
    review = (ROOT / "benchmarks/review.py").read_text(encoding="utf-8")
    timed = review[review.index("def asreview_table") : review.index("def _saved(")]
    assert "process_time()" not in timed  # of this process, which has read the tables already
    assert timed.count("getrusage(resource.RUSAGE_CHILDREN)") == 4  # before and after, of ours and of ASReview's


def test_fresh_queries_of_the_benchmark_of_searching_are_never_asked_twice(tmp_path: Path) -> None:
    """Each round, depth and kind draws others, and those for warming up and for repeating are others again."""
    search = script("search")
    path = tmp_path / "texts.tsv"
    words = [f"{letters}ing" for letters in ("coat", "melt", "film", "press", "weld", "spin", "drill", "grind")]
    lines = [" ".join(words[(n * 3 + i * i) % 8] + "abcdefgh"[(n + i) % 8] for i in range(12)) for n in range(400)]
    path.write_text("".join(f"{2000 + n % 20}\tA01B\t{line}\n" for n, line in enumerate(lines)), encoding="ascii")
    texts = search.Texts(path)
    for kind, count in (*search.OTHERS, ("words", 3)):
        seeds = [search.WARM + 10, search.AGAIN + 10, *(search.FRESH + 10_000 * turn + 10 for turn in range(3))]
        asked = [[tuple(query.words) for query in texts.queries(kind, count, 5, seed)] for seed in seeds]
        assert len({tuple(queries) for queries in asked}) == len(seeds)
        assert asked[0] == [tuple(query.words) for query in texts.queries(kind, count, 5, seeds[0])]


def test_the_programs_of_the_benchmark_are_asked_in_their_own_languages() -> None:
    search = script("search_programs")
    phrase, both = search.Asked("phrase", ["thin", "film"]), search.Asked("and", ["thin", "film"])
    assert (search.written(phrase), search.written(both)) == ('"thin film"', "thin AND film")
    assert search.written(search.Asked("truncated", ["thin", "polym"])) == "thin AND polym*"
    limited = search.Asked("filter", ["thin", "film"], "A01B", 2001, 2005)
    assert search.Leadline.text(object(), limited) == "thin film class:A01B published:2001..2005"
