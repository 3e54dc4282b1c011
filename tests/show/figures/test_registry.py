"""The register of figures: its order is the report's, and whoever adds a figure finds it there."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("altair", reason="figures need the package altair")

from leadline.errors import InputError
from leadline.show.charts import Figure
from leadline.show.report.drawing import BEHAVE, BELIEVED, FIGURES, SECTIONS, in_order, report_figure
from leadline.show.report.evidence import Evidence
from leadline.show.report.page import report

# Other figures may come between these.
ORDER = (
    "recall_effort", "bump", "sorted_scores", "effort_curves", "quality_speed", "triangle", "agreement", "incomplete",
    "power", "spectrogram", "precision_recall", "six_measures", "slices", "relevant_distribution", "pool_map",
    "claims_cube", "gamma", "pres_area", "pres_surface", "pres_rr",
)  # fmt: skip


def evidence() -> Evidence:
    return Evidence.of({"1": {"a": 1}}, {"only": {"1": {"b": 2, "a": 1}}}, "PRES@10")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages without Vega, and a register that forgets what the test adds."""
    monkeypatch.setattr("leadline.show.report.html_page._vega", lambda: "")
    list(FIGURES)
    for name in ("_members", "_names", "_homes"):
        monkeypatch.setattr(FIGURES, name, dict(getattr(FIGURES, name)))


def test_the_order_of_the_report() -> None:
    assert tuple(entry.name for entry in in_order() if entry.name in ORDER) == ORDER
    places = [(SECTIONS.index(entry.section), entry.place) for entry in in_order() if entry.section in SECTIONS]
    assert places == sorted(places)
    assert all(entry.label for entry in in_order())


def test_a_figure_added_after_the_first_report_is_in_the_next(quick: None) -> None:
    before = report(evidence())
    assert "My own figure" not in before

    @report_figure("mine", section=BELIEVED, label="a figure <of> mine", place=15)
    def mine(evidence: Evidence) -> Figure:
        drawn = FIGURES.named("pres_rr").draw(evidence)
        return Figure("another name", "My own figure", "Read it.", drawn.chart, drawn.rows)

    @report_figure("last", section="What else?", label="last")
    def last(evidence: Evidence) -> Figure:
        raise InputError("last", "needs a second run")

    after = report(evidence())
    assert '<li><a href="#mine">a figure &lt;of&gt; mine</a></li>' in after
    shown = re.findall(r"<h[23]>(.*?)</h[23]>", after)
    assert shown.index(BELIEVED) < shown.index("My own figure") < shown.index(BEHAVE)
    assert shown[-1] == "Not drawn"
    assert "What else?" not in shown  # its only figure cannot be drawn
    assert "<li>Last: Not drawn: last: needs a second run.</li>" in after
    assert 'id="data-mine"' in after


def test_a_name_is_taken_once(quick: None) -> None:
    with pytest.raises(InputError, match="'bump' is taken by bump of leadline"):
        report_figure("bump", section=BELIEVED, label="x")(lambda evidence: Figure("bump", "", "", None))
    with pytest.raises(InputError, match="did you mean bump"):
        FIGURES.named("bumb")
