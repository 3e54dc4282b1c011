"""Every result is short as `repr`, readable as `str`, and an escaped table in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import leadline as ll
from leadline.trust.triangle import triangle

BAD = "<script>alert('x')</script>"
rng = np.random.default_rng(3)
QRELS = {str(t): {f"d{d}": int(rng.integers(0, 2)) for d in range(20)} for t in range(30)}
RUNS: dict[str, dict[str, dict[str, float]]] = {
    run: {t: {f"d{d}": float(rng.random() + help * QRELS[t][f"d{d}"]) for d in range(20)} for t in QRELS}
    for run, help in (("good", 0.9), ("fair", 0.4), (BAD, 0.1))
}
SCORES = ll.evaluate(QRELS, RUNS, "AP R@5 P@5")
STUDY = ll.open_study(QRELS, RUNS, "AP R@5")
OFFICES = {t: "EP" if int(t) % 2 else BAD for t in QRELS}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> ll.Index:
    folder = tmp_path_factory.mktemp("shown")
    texts = [
        {"id": "EP1", "abstract": "A polymer film.", "title": BAD, "publication": "1999"},
        {"id": "EP2", "abstract": "Films of metal.", "title": "Metal", "publication": "2001"},
    ]
    return ll.build_index(texts, folder / "index", fields=["abstract"])


RESULTS: dict[str, Any] = {
    "Scores": lambda: SCORES,
    "Pairs": lambda: ll.compare(SCORES, "AP", test="t"),
    "Triangle": lambda: triangle(SCORES, "AP", draws=100),
    "Power": lambda: ll.power(SCORES, draws=100),
    "Correlation": lambda: ll.correlation(SCORES),
    "Agreement": lambda: ll.agreement(SCORES),
    "Slices": lambda: ll.slices(SCORES, "AP", topics=OFFICES, by="office"),
    "Spectrogram": lambda: ll.spectrogram(SCORES, "AP"),
    "Standing": lambda: ll.verdict(SCORES, "AP"),
    "Verdict": lambda: ll.verdict(SCORES, "AP").verdicts[0],
    "Incomplete": lambda: ll.incomplete(STUDY, samples=2),
    "LeftOut": lambda: ll.left_out(STUDY),
    "Study": lambda: STUDY,
    "Breakdown": lambda: ll.explain_topic("AP", QRELS, RUNS["good"], "3"),
    "Run": lambda: ll.Run.of(RUNS["good"], BAD),
    "Qrels": lambda: ll.Qrels.of(QRELS, BAD),
    "Topics": lambda: ll.Topics.of([ll.Topic("1", title=BAD), ll.Topic("2")]),
    "Measure": lambda: ll.parse_measure("nDCG(gain=exp)@10"),
}


class Tags(HTMLParser):
    """The names of all tags in a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.names.append(tag)


def check(result: Any, name: str) -> None:
    short = repr(result)
    assert short.startswith(f"<{name} ")
    assert short.endswith(">")
    assert len(short) < 200
    assert "\n" not in short
    assert str(result)
    assert str(result) != short
    tags = Tags(result._repr_html_())
    assert set(tags.names) <= {"div", "p", "small", "table", "thead", "tbody", "tr", "th", "td", "b"}
    assert tags.names.count("tr") <= 21


@pytest.mark.parametrize("name", RESULTS)
def test_results_show_themselves(name: str) -> None:
    check(RESULTS[name](), name)


def test_searches_show_themselves(index: ll.Index) -> None:
    found = ll.search(index, "film")
    check(index, "Index")
    check(found, "SearchResult")
    check(found.hits[0], "Hit")
    assert "2 documents for film" in repr(found)


def test_the_line_has_the_finding() -> None:
    assert repr(SCORES) == "<Scores 3 runs × 30 topics × 3 measures; best AP: good (%.3f)>" % SCORES["AP"]["good"]  # noqa: UP031
    assert re.search(r"<Standing AP: .*(No firm winner|firmly)", repr(ll.verdict(SCORES, "AP")))
    assert repr(ll.compare(SCORES, "AP", alpha=0.01)).count("below 0.01") == 1


def test_many_rows_are_cut_in_a_notebook() -> None:
    runs = tuple(f"r{r}" for r in range(143))
    scores = ll.Scores(runs, ("1",), ("AP",), np.zeros((143, 1, 1)))
    assert "… 123 more rows" in scores._repr_html_()
    assert len(str(scores).splitlines()) == 145  # in a terminal nothing is cut


def test_a_report_shows_in_a_notebook() -> None:
    pytest.importorskip("altair")
    page = ll.report(QRELS, RUNS, "AP", samples=2, figures=[])
    assert repr(page).startswith("<Report AP: ")
    assert len(repr(page)) < 200
    assert page._repr_html_().startswith("<iframe srcdoc=")


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda index: ll.search(index, 5), "query: must be text, got int '5'"),
        (lambda index: ll.search(5, "film"), "index: must be a path, an Index or a SearchContext, got int '5'"),
        (lambda index: ll.search(index, "film", k="3"), "k: must be a whole number, got str '3'"),
        (lambda index: ll.prior_art(index, 5), "patent: must be a number or a Document, got int '5'"),
        (lambda index: ll.make_run(index, [1]), r"topics: must be a path or Topics, got list '\[1\]'"),
        (lambda _: ll.build_index([], "x", positions="yes"), "positions: must be True or False, got str 'yes'"),
        (lambda _: ll.build_index([], "x", fields="title"), r"fields: must be a list of fields, got 'title'"),
        (lambda _: ll.ideal_run("no-such-file"), "no-such-file: no such file"),
        (lambda _: ll.compare(SCORES, "AP", alpha=5), "alpha: must be between 0 and 1, got 5"),
        (lambda _: ll.evaluate(QRELS, RUNS, 5), "5 is not a measure"),
        (lambda _: ll.evaluate(5, RUNS, "AP"), "qrels: int is not judgements"),
        (lambda _: ll.Run.of("bm25.run"), "a file is read by read_run"),
        (lambda _: ll.Run.of(RUNS["good"]).ranking("77"), "run: no topic '77' among 30"),
    ],
)  # fmt: skip
def test_wrong_types_get_one_line(call: Any, line: str, index: ll.Index) -> None:
    with pytest.raises(ll.LeadlineError, match=line):
        call(index)


def test_a_measure_of_ones_own_that_is_wrong() -> None:
    with pytest.raises(ll.InputError, match="measure NoType: option 'effort' has no type: write effort: int"):
        ll.measures.measure("NoType")(lambda hits, effort=3: hits.found(1, effort))
    with pytest.raises(ll.InputError, match="at='cutoff' is not one of its options"):
        ll.measures.measure("NoAt", at="cutoff")(lambda hits: hits.found(1))

    @ll.measures.measure("OneNumber")
    def one_number(hits: ll.measures.Hits) -> float:
        return 1.0

    with pytest.raises(ll.MeasureError, match=r"OneNumber must return an array with one value for each of 90 rows"):
        ll.evaluate(QRELS, RUNS, "OneNumber")


def test_a_model_of_ones_own_that_is_wrong(index: ll.Index) -> None:
    with pytest.raises(ll.InputError, match="model no_type: parameter 'b' has no type"):
        ll.models.model("no_type")(lambda postings, b=3: postings.tf)

    @ll.models.model("one_weight")
    def one_weight(postings: ll.models.Postings) -> ll.models.Array:
        """One weight too few."""
        return postings.tf[:1]

    with pytest.raises(ll.InputError, match="model one_weight: must return one weight for each of 2 postings"):
        ll.search(index, "film", model="one_weight")
