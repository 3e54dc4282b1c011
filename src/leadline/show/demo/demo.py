"""The demo: build a lab, score it by citations and by the truth, write the reports and a summary."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from leadline.collections.simulate.settings import Settings
from leadline.measures.evaluate import Progress
from leadline.measures.notation import parse_measures
from leadline.show.demo.build import KIND, VERSION, DoneSteps, Stage, build_lab
from leadline.show.demo.citations_truth import study_lab
from leadline.show.demo.story import story
from leadline.show.demo.systems import SMALL, planned
from leadline.show.figures.evidence import Evidence
from leadline.show.papers.inputs import PaperInputs
from leadline.show.report.page import report
from leadline.show.report.page_key import code_of, key_of, key_written_in
from leadline.text.checksums import file_sha256
from leadline.text.files import write_whole
from leadline.text.owned_folder import OwnedFolder
from leadline.trust.incomplete import Incomplete

MEASURE = "PRES@100"
SAMPLES = 50
STORY, REPORT, TRUE_REPORT = "story.txt", "report.html", "report.true.html"


@dataclass(frozen=True)
class DemoResult:
    """What the demo has made: the story, and the paths of the reports."""

    story: tuple[str, ...]
    report: Path
    true_report: Path


def demo(folder: Path, settings: Settings, stage: Stage, samples: int = SAMPLES) -> DemoResult:
    """Run the demo in a folder, or return what an identical demo made there before."""
    lab = PaperInputs.open(build_lab(folder, settings, planned(SMALL), stage))
    result = DemoResult((), folder / REPORT, folder / TRUE_REPORT)
    key = key_of([str(path) for path in lab.files], [], (MEASURE, str(samples), code_of("show/demo")))
    stored = folder / STORY
    done = DoneSteps(folder)
    if key_written_in(result.report) == key == key_written_in(result.true_report) and done.has(
        "story", _key_of(stored)
    ):
        return replace(result, story=tuple(stored.read_text(encoding="utf-8").splitlines()))
    with stage("scores by citations and by the truth") as _:
        cited = _evidence(lab, lab.judgements, samples)
        true = _evidence(lab, lab.true, samples, complete=True)
        recovered = study_lab(folder)
    with stage("is it firm? half the judgements, again and again") as step:
        cited.decide(step)
        true.decide(step)
    with stage("with fewer judgements") as step:
        thinned = _thinned(cited, samples, step)
    lines = story(cited, true, thinned, recovered)
    with stage("the report") as step, OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve(REPORT, TRUE_REPORT, STORY)
        write_whole(result.true_report, report(true, key=key, progress=step).encode("utf-8", "replace"))
        write_whole(result.report, report(cited, key=key, progress=step).encode("utf-8", "replace"))
        write_whole(stored, "".join(f"{line}\n" for line in lines).encode())
        done.add("story", _key_of(stored))
    return replace(result, story=tuple(lines))


def _key_of(stored: Path) -> str:
    """The checksum of the story; empty where there is none."""
    return file_sha256(stored) if stored.is_file() else ""


def _evidence(lab: PaperInputs, judged: Path | None, samples: int, *, complete: bool = False) -> Evidence:
    assert judged is not None, "the folder of a demo has true judgements"
    return Evidence.of(judged, lab.runs, MEASURE, topics=lab.folder / "topics.tsv", runs_info=lab.folder / "runs.tsv",
                       samples=samples, complete=complete)  # fmt: skip


def _thinned(evidence: Evidence, samples: int, step: Progress | None) -> Incomplete:
    study = replace(evidence.study, measures=tuple(parse_measures(evidence.trio)))
    return Incomplete.of(study, samples=samples, seed=evidence.rng("demo"), progress=step)
