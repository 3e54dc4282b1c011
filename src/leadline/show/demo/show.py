"""The whole demo: a lab made on the spot, scored by citations and by the truth, the report, and the story."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.measures.evaluate import Progress
from leadline.measures.notation import parse_measures
from leadline.show.demo.citations_truth import study_lab
from leadline.show.demo.laboratory import Told, make_lab
from leadline.show.demo.story import story
from leadline.show.demo.systems import SMALL, planned
from leadline.show.figures.evidence import Evidence
from leadline.show.papers.lab import Lab
from leadline.show.report.code import code_of
from leadline.show.report.key import key_of, key_written_in
from leadline.show.report.page import report
from leadline.text.source import write_whole
from leadline.trust.incomplete import Incomplete, incomplete

MEASURE = "PRES@100"
SAMPLES = 50
STORY, REPORT, TRUE_REPORT = "story.txt", "report.html", "report.true.html"


@dataclass(frozen=True)
class Shown:
    """What the demo has made: the story, and where the pages are."""

    story: tuple[str, ...]
    report: Path
    true_report: Path


def demo(folder: Path, settings: Settings, stage: Told, samples: int = SAMPLES) -> Shown:
    """Make everything, or use what an identical demo made before."""
    lab = Lab.open(make_lab(folder, settings, planned(SMALL), stage))
    shown = Shown((), folder / REPORT, folder / TRUE_REPORT)
    key = key_of([str(path) for path in lab.files], [], (MEASURE, str(samples), code_of("demo")))
    told = folder / STORY
    if key_written_in(shown.report) == key == key_written_in(shown.true_report) and told.is_file():
        return replace(shown, story=tuple(told.read_text(encoding="utf-8").splitlines()))
    with stage("scores by citations and by the truth") as _:
        cited, true = (_evidence(lab, judged, samples) for judged in (lab.judgements, lab.true))
        recovered = study_lab(folder)
    with stage("is it firm? half the judgements, again and again") as step:
        cited.decide(step)
        true.decide(step)
    with stage("with fewer judgements") as step:
        thinned = _thinned(cited, samples, step)
    lines = story(cited, true, thinned, recovered)
    with stage("the report") as step:
        write_whole(shown.true_report, report(true, key=key, progress=step).encode("utf-8", "replace"))
        write_whole(shown.report, report(cited, key=key, progress=step).encode("utf-8", "replace"))
    write_whole(told, "".join(f"{line}\n" for line in lines).encode())
    return replace(shown, story=tuple(lines))


def _evidence(lab: Lab, judged: Path | None, samples: int) -> Evidence:
    assert judged is not None, "a lab of the demo knows its truth"
    return Evidence.of(judged, lab.runs, MEASURE, topics=lab.folder / "topics.tsv", runs_info=lab.folder / "runs.tsv",
                       samples=samples)  # fmt: skip


def _thinned(evidence: Evidence, samples: int, step: Progress | None) -> Incomplete:
    study = replace(evidence.study, measures=tuple(parse_measures(evidence.trio)))
    return incomplete(study, samples=samples, rng=evidence.rng("demo"), progress=step)
