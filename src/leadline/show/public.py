"""The public functions that show results: the report, and what papers printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from leadline.records.inputs import Path, QrelsLike, RunsLike
from leadline.records.scores.result import Result

if TYPE_CHECKING:
    from leadline.measures.notation import MeasureLike
    from leadline.records.scores.scores import Scores


@dataclass(frozen=True, repr=False)
class Report(Result):
    """One page with the verdict, every figure and every topic. It needs no network."""

    html: str
    headline: str = ""  # the verdict in a sentence

    def write(self, path: Path) -> None:
        """Write the page to a file."""
        from leadline.text.files import write_whole

        write_whole(path, self.html.encode("utf-8", "replace"))

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe srcdoc="{escape(self.html)}" style="width: 100%; height: 80vh; border: 0"></iframe>'

    def _finding(self) -> str:
        return f"{self.headline} ({len(self.html) / 1e6:.1f} MB; .write(path) saves the page)".strip()


def report(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: MeasureLike = "PRES@1000",
    *,
    topics: Path | Mapping[str, Mapping[str, Any]] | None = None,
    runs_info: Path | Mapping[str, Mapping[str, str]] | None = None,
    figures: Iterable[str] | None = None,
    baseline: str = "",
    complete: bool = False,
    title: str = "",
    samples: int = 100,
    seed: int = 1,
) -> Report:
    """One page for people: which system finds more, and whether it can be believed.

    `measure` decides; `topics` and `runs_info` are tables of attributes; `figures` are names of
    `leadline.figures` (default: all). `baseline` is the run of the system used today; `complete` says that every
    relevant document is in the judgements.
    """
    from leadline.show.figures.evidence import Evidence
    from leadline.show.report.page import report as report_page
    from leadline.trust.verdict import outcome

    evidence = Evidence.of(
        qrels, runs, measure, topics=topics, runs_info=runs_info, seed=seed, samples=samples, baseline=baseline,
        complete=complete, title=title,
    )  # fmt: skip
    page = report_page(evidence, names=figures)
    verdicts = evidence.verdict
    return Report(page, "" if verdicts is None else f"{verdicts.measure}: {outcome(verdicts)}")


def published_scores(name: Literal["clef-ip-2009", "trec-chem-2009"], measure: str = "xinfAP") -> Scores:
    """Scores that papers printed: 48 runs of CLEF-IP 2009 (means only), or 31 runs on 18 topics of TREC-CHEM 2009.

    >>> len(published_scores("trec-chem-2009", "infNDCG").runs)
    31
    """
    from leadline.errors import checked_choice
    from leadline.show.papers import published

    checked_choice("name", name, ("clef-ip-2009", "trec-chem-2009"))
    return published.clef_ip_2009() if name == "clef-ip-2009" else published.trec_chem_2009(measure)
