"""The demo: a simulated office, systems, judgements by citations and by the truth, reports, and its lab."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from leadline.collections.documents.collection import Collection
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError, MismatchError
from leadline.judge.citations import from_citations
from leadline.judge.pools import check_pool, draw_pool
from leadline.judge.simulated_office import JUDGED, check_office, write_office
from leadline.measures.definition import parse_measures
from leadline.measures.evaluate import Progress
from leadline.measures.hits import Mask
from leadline.options import SAMPLES
from leadline.records.qrels import Qrels, read_qrels
from leadline.records.runs import Run, read_run
from leadline.records.topics import Topics
from leadline.retrieval.choices import FIELDS
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import check_index
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.grid import GridRuns, Planned, check_grid, plan
from leadline.retrieval.pipeline.named_systems import system
from leadline.show.charts import both, decimal, decimal_column, percent
from leadline.show.lab.check_lab import check_lab
from leadline.show.lab.lab import Lab, LabEntry
from leadline.show.papers.beyond import STORED, read_stored, without_options
from leadline.show.papers.exhibit import PaperInputs
from leadline.show.report.evidence import Evidence
from leadline.show.report.html_page import code_of, key_of, key_written_in
from leadline.show.report.page import report
from leadline.text.checksums import (
    CHECKSUM,
    Finding,
    check_file,
    check_seal,
    file_sha256,
    findings,
    parsed_object,
    sealed,
    stored_bytes,
)
from leadline.text.files import write_stored
from leadline.text.owned_files import JOURNAL, PEOPLE, RECORD, is_owned
from leadline.text.owned_folder import OwnedFolder, check_identity, check_listed, identity_of
from leadline.trust.incomplete import Incomplete, Recovery, recovery, that_rank, together
from leadline.trust.pairs import Standing
from leadline.trust.study import Study, open_study
from leadline.version import __version__

MEASURE = "PRES@100"
STORY, REPORT, TRUE_REPORT = "story.txt", "report.html", "report.true.html"


@dataclass(frozen=True)
class DemoResult:
    """What the demo has made: the story, and the paths of the reports."""

    story: tuple[str, ...]
    report: Path
    true_report: Path
    standings: Mapping[str, Standing]  # by the judgements, as the lab names them; none where it was all made before


def demo(folder: Path, settings: Settings, stage: Stage, samples: int = SAMPLES) -> DemoResult:
    """Run the demo in a folder, or return what an identical demo made there before."""
    lab = PaperInputs.open(build_lab(folder, settings, planned(SMALL), stage))
    result = DemoResult((), folder / REPORT, folder / TRUE_REPORT, {})
    key = key_of([str(path) for path in lab.files], [], (MEASURE, str(samples), code_of("show/demo")))
    stored = folder / STORY
    done = DoneSteps(folder)
    if key_written_in(result.report) == key == key_written_in(result.true_report) and done.has(
        "story", _key_of(stored)
    ):
        return replace(result, story=tuple(stored.read_text(encoding="utf-8").splitlines()))
    with stage("scores by citations and by the truth") as _:
        cited = _evidence(lab, lab.judgements, samples, "Which system finds more, by citations?")
        true = _evidence(lab, lab.true, samples, "Which system finds more, in truth?", complete=True)
        recovered = study_lab(folder)
    with stage("is it firm? half the judgements, again and again") as step:
        cited.decide(step)
        true.decide(step)
    with stage("with fewer judgements") as step:
        thinned = _thinned(cited, samples, step)
    lines = story(cited, true, thinned, recovered)
    with stage("the report") as step, OwnedFolder.locked(folder, KIND, VERSION) as owned:
        by_truth, by_citations = (
            report(each, key=key, progress=step).encode("utf-8", "replace") for each in (true, cited)
        )
        keep_told(owned, by_truth, by_citations, lines)
    standings = {CITED: cited.standing, TRUE[0]: true.standing}
    return replace(result, story=tuple(lines), standings=standings)


def keep_told(owned: OwnedFolder, by_truth: bytes, by_citations: bytes, lines: Sequence[str]) -> None:
    """Write the reports and the story, with their checksums among the steps that are done."""
    owned.reserve(REPORT, TRUE_REPORT, STORY)
    done = DoneSteps(owned.path)
    for name, content in ((TRUE_REPORT, by_truth), (REPORT, by_citations)):
        write_stored(owned.path / name, content)
        done.add(name, hashlib.sha256(content).hexdigest())
    write_stored(owned.path / STORY, "".join(f"{line}\n" for line in lines).encode())
    done.add("story", _key_of(owned.path / STORY))


def _key_of(stored: Path) -> str:
    """The checksum of the story; empty where there is none."""
    return file_sha256(stored) if stored.is_file() else ""


def _evidence(lab: PaperInputs, judged: Path | None, samples: int, title: str, *, complete: bool = False) -> Evidence:
    assert judged is not None, "the folder of a demo has true judgements"
    return Evidence.of(
        judged,
        lab.runs,
        MEASURE,
        topics=lab.folder / "topics.tsv",
        runs_info=lab.folder / "runs.tsv",
        samples=samples,
        complete=complete,
        title=title,
    )


def _thinned(evidence: Evidence, samples: int, step: Progress | None) -> Incomplete | None:
    """What fewer judgements do to the order of the systems; None where they have no order, as with a single topic."""
    study = replace(evidence.study, measures=tuple(parse_measures(evidence.trio)))
    kept = _with([study], that_rank([study]))
    return Incomplete.of(kept[0], samples=samples, seed=evidence.rng("demo"), progress=step) if kept else None


# Build the folder of the demo, step by step; steps that are already done are not repeated.
#
# DIR/office/                     the simulated office
# DIR/index/                      the index of its documents
# DIR/runs/*.run, runs.tsv        the runs of the systems
# DIR/qrels.*.txt, topics.tsv     judgements and topics, where `leadline reproduce` and `serve` look for them


KIND, VERSION, KEYS = "demo", 2, "made.json"  # 1: the keys without a checksum
REPAIR = "run the demo again"
ALL_FIELDS = (*FIELDS, "phrases", "entities", "biology", "sentences")  # scai and msoe also search the last four
DEPTH = 1000  # documents that a system returns for a topic
Step = Callable[..., None]
Stage = Callable[[str], AbstractContextManager[Step | None]]  # opens a named stage; its value reports the progress


@dataclass(frozen=True)
class DoneSteps:
    """The steps that are done in a folder, each with a key of what it was made from."""

    folder: Path

    def read(self) -> dict[str, str]:
        """The key of every step that is done; none where the file is missing or damaged."""
        path = self.folder / KEYS
        try:
            known = parsed_object(stored_bytes(path), str(path), REPAIR)
            check_seal(known, str(path), REPAIR)
        except (OSError, InputError):
            return {}
        return {step: key for step, key in known.items() if step != CHECKSUM}

    def has(self, step: str, key: str) -> bool:
        """Whether a step is done with this key."""
        return self.read().get(step) == key

    def add(self, step: str, key: str) -> None:
        """Record that a step is done."""
        known = self.read() | {step: key}
        write_stored(self.folder / KEYS, sealed(known))


def step_key(*facts: Any, code: Sequence[str] = ()) -> str:
    """A hash of what a step is made from: its inputs, the versions, and the folders of the code that does it."""
    parts = [__version__, np.__version__, code_of(*code), *map(repr, facts)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def build_lab(folder: Path, settings: Settings, systems: Sequence[Planned], stage: Stage) -> Path:
    """Build an office, its index, runs and judgements in a folder, except for steps that are already done.

    `stage` is called with the name of each step, and returns a context manager whose value reports the progress.
    """
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        _build_lab(owned, settings, systems, stage)
    return folder


def _build_lab(owned: OwnedFolder, settings: Settings, systems: Sequence[Planned], stage: Stage) -> None:
    folder = owned.path
    owned.reserve("office", "index", KEYS, *JUDGED)
    done = DoneSteps(folder)
    office = step_key(dataclasses.asdict(settings), code=("collections/simulate", "collections/documents", "judge"))
    if not done.has("office", office) or not _is_sound(check_office(folder / "office")) or _copies_differ(folder):
        with stage(f"an office of {settings.patents:,} patents") as step:
            write_office(settings, folder / "office", step)
            for name in JUDGED:
                write_stored(folder / name, stored_bytes(folder / "office" / name))
        done.add("office", office)
    index = step_key(office, ALL_FIELDS, code=("retrieval/index", "retrieval/language"))
    if not done.has("index", index) or not _is_sound(check_index(folder / "index")):
        with stage("an index of their words") as _:
            collection: Any = Collection.open(folder / "office" / "collection")
            origin = str((folder / "office" / "collection").resolve())
            Index.build(collection, folder / "index", fields=ALL_FIELDS, origin=origin, positions=True)
        done.add("index", index)
    runs = step_key(index, [(one.name, repr(one.pipeline)) for one in systems], DEPTH, code=("retrieval",))
    if not done.has("runs", runs) or not _is_sound(check_grid(folder)):
        topics = Topics.read(folder / "topics.tsv")
        with stage(f"{len(systems)} systems on {len(list(topics))} topics") as step:
            context = SearchContext.open(folder / "index", folder / "office" / "collection")
            GridRuns(folder, context, topics, DEPTH, owned).make(systems, step)
            _drop_others(owned, systems)
        done.add("runs", runs)


def _is_sound(findings: Iterator[Finding]) -> bool:
    """Whether a check finds nothing."""
    try:
        return not any(findings)
    except InputError:
        return False


def _copies_differ(folder: Path) -> bool:
    """Whether the topics and judgements are other than the office's."""
    return any(_sha256(folder / name) != _sha256(folder / "office" / name) for name in JUDGED)


def _sha256(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError:
        return ""


def _drop_others(owned: OwnedFolder, systems: Sequence[Planned]) -> None:
    """Delete runs of an earlier demo, which would otherwise be evaluated with the others."""
    wanted = {f"runs/{one.name}.run" for one in systems}
    owned.remove(name for name in owned.names if name.startswith("runs/") and name not in wanted)


# The systems of the demo and of the study: the eight of TREC-CHEM 2009, and a grid of simpler ones.


EIGHT = ("bitem", "cmu", "dutir", "iowa", "msoe", "purdue", "scai", "york")
# Those of the study: of five teams a variant of ours, which uses nothing later than the topic, or all that is known.
STUDIED = (
    "bitem:seen-citations", "cmu", "dutir", "iowa:merged", "msoe:levels", "purdue", "scai:together", "york:expanded"
)  # fmt: skip
COLUMNS = ("query", "model", "after")

QUERIES: dict[str, Any] = {
    "whole": "text",
    "claims": {"step": "text", "fields": ["claims"]},
    "abstract": {"step": "text", "fields": ["title", "abstract"]},
    "terms": {"step": "best_terms", "n": 30},
}
MODELS: dict[str, Any] = {
    "bm25": {"step": "search", "model": "bm25"},
    "dirichlet": {"step": "search", "model": "dirichlet(mu=2000)"},
    "tfidf": {"step": "search", "model": "tfidf"},
    "dph": {"step": "search", "model": "dph"},
}
AFTER: dict[str, Any] = {
    "plain": [],
    "cited": "citations",
    "classes": "class_agreement",
    "rm3": ["rm3", {"again": "model"}],
}
CHOICES = {"query": QUERIES, "model": MODELS, "after": AFTER}

SMALL: list[dict[str, Any]] = [
    {"query": ["whole", "claims", "abstract"], "model": ["bm25", "tfidf"]},
    {"query": "whole", "model": "bm25", "after": ["cited", "classes"]},
]
LARGE: list[dict[str, Any]] = [
    {"query": "all", "model": "all"},
    {"query": "all", "model": "bm25", "after": ["cited", "classes", "rm3"]},
    {"query": "whole", "model": ["tfidf", "dirichlet"], "after": "cited"},
]


def planned(runs: list[dict[str, Any]], eight: Sequence[str] = EIGHT) -> list[Planned]:
    """The systems of the eight teams and the systems of the grid.

    >>> [len(planned(runs)) for runs in (SMALL, LARGE)]
    [16, 38]
    """
    files = {name: name.replace(":", "-") for name in eight}
    named = [Planned(file, dict.fromkeys(COLUMNS, file), system(name)) for name, file in files.items()]
    return [*named, *plan({"choices": CHOICES, "runs": runs}, "demo")]


# Do citations put the systems in their true order? Rank the systems of simulated offices by both.
#
# Judgements by citation come in four kinds: all citations or only those of examiners, and with or without documents
# published after the topic's priority. The Cube Test needs judgements by claim, which citations do not give: here, as
# in an office action, each citation names the claims that the document is relevant to, without errors; a cited document
# that is not prior art is relevant to none.


EFFORTS = (20, 100, 500)
WHOLE = ("AP", "R", "PRES")  # measures of whole documents
BY_CLAIM = "CT(theta=given)"
EXAMINERS = ("examiner",)
ALL = "all citations"
SEED = 1  # of the random control
SAME = "by some of the judgements all systems score the same"
FEWEST_TIMES = 5  # a collection must have this many times the documents that a searcher reads


def study_offices(
    folder: Path,
    *,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    settings: Settings | None = None,
    efforts: Sequence[int] = EFFORTS,
    stage: Stage,
) -> Recovery:
    """The study over several offices, one per seed, each in a folder of its own; finished steps are not repeated."""
    base = settings or Settings(patents=8000)
    systems = planned(LARGE, STUDIED)
    found = []
    for seed in seeds:
        lab = build_lab(folder / f"seed-{seed}", replace(base, seed=seed), systems, stage)
        with stage(f"both judgements of seed {seed}") as _:
            found.append(study_lab(lab, efforts))
    if None in found:
        raise MismatchError(f"{SAME}: study more topics")
    return together([each for each in found if each is not None])


def study_lab(folder: Path, efforts: Sequence[int] = EFFORTS) -> Recovery | None:
    """The study of one lab whose truth is known, read from its folder if it was made before.

    None where no measure gives an order by all kinds of judgements, as with a single topic.
    """
    done = DoneSteps(folder)
    code = ("trust", "measures", "records/qrels", "judge", "show/demo")
    key = step_key(done.read().get("runs", ""), tuple(efforts), code=code)
    stored = folder / STORED
    if done.has("citations-truth", key):
        with contextlib.suppress(InputError):  # missing or damaged: it is made again
            return read_stored(stored)
    collection = Collection.open(folder / "office" / "collection")
    # A searcher who reads a large part of the collection finds everything with any system, which ranks nothing.
    sensible = [effort for effort in efforts if effort * FEWEST_TIMES <= len(collection)]
    runs = {path.stem: read_run(path) for path in sorted((folder / "runs").glob("*.run"))}
    true = read_qrels(folder / "qrels.true.txt")
    claims = read_qrels(folder / "qrels.true.claims.txt", format="subtopics")
    kinds = citation_qrels(collection, Topics.read(folder / "topics.tsv"))
    kinds |= controls(true, kinds[ALL], np.random.default_rng(SEED))
    truth = _studies(true, claims, runs, sensible)
    judged = {name: _studies(one, restricted(claims, one), runs, sensible) for name, one in kinds.items()}
    # With few topics all systems may score the same by some judgements: the story says which measures are left out.
    ranks = set.intersection(*(that_rank(studies) for studies in (truth, *judged.values())))
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve(STORED)
        if not ranks:
            owned.remove([STORED])
            return None
        found = recovery(_with(truth, ranks), {name: _with(studies, ranks) for name, studies in judged.items()})
        write_stored(stored, sealed(found.to_record()))
        done.add("citations-truth", key)
    return found


def _studies(whole: Qrels, claims: Qrels, runs: dict[str, Run], efforts: Sequence[int]) -> list[Study]:
    """One study of whole documents and one by claim, under each measure at each effort; none where none is relevant."""
    names = [f"{name}@{effort}" for name in WHOLE for effort in efforts]
    asked = ((whole, names), (claims, [f"{BY_CLAIM}@{effort}" for effort in efforts]))
    return [open_study(judged, runs, names) for judged, names in asked if judged.grades.max(initial=0) > 0]


def _with(studies: Sequence[Study], measures: Container[str]) -> list[Study]:
    """The studies with these of their measures alone; none that has none of them."""
    kept = [replace(one, measures=tuple(each for each in one.measures if each.text in measures)) for one in studies]
    return [one for one in kept if one.measures]


def citation_qrels(collection: Collection, topics: Topics) -> dict[str, Qrels]:
    """The judgements from the citations of a collection, in four kinds."""
    kinds = {
        ALL: from_citations(collection, topics),
        "examiners only": from_citations(collection, topics, origins=EXAMINERS),
        "all + later": from_citations(collection, topics, dates="none"),
        "examiners + later": from_citations(collection, topics, origins=EXAMINERS, dates="none"),
    }
    return {name: derived.provenance.qrels(name=name) for name, derived in kinds.items()}


def controls(true: Qrels, cited: Qrels, rng: np.random.Generator) -> dict[str, Qrels]:
    """Two controls: the cited documents that are truly relevant, and as many true ones at random.

    They tell whether it matters how many judgements are missing, or which.

    >>> true, cited = Qrels.of({"7": {"a": 1, "b": 1, "c": 1}}), Qrels.of({"7": {"b": 1, "x": 1}})
    >>> {name: len(one) for name, one in controls(true, cited, np.random.default_rng(1)).items()}
    {'cited and relevant': 1, 'as many at random': 1}
    """
    right = _among(true, cited)
    drawn = np.zeros(len(true), bool)
    for start, stop in pairwise(true.offsets.tolist()):
        drawn[start + rng.permutation(stop - start)[: int(right[start:stop].sum())]] = True
    return {"cited and relevant": true.where(right), "as many at random": true.where(drawn)}


def restricted(claims: Qrels, cited: Qrels) -> Qrels:
    """The judgements by claim of the documents that were cited for the topic."""
    return claims.where(_among(claims, cited))


def _among(judged: Qrels, others: Qrels) -> Mask:
    """A mask of the judgements whose topic and document are also in the others."""
    known = set(zip(_topics(others), others.documents.names(), strict=True))
    pairs = zip(_topics(judged), judged.documents.names(), strict=True)
    return np.array([pair in known for pair in pairs], bool)


def _topics(qrels: Qrels) -> list[str]:
    return [qrels.topics[place] for place in qrels.topic_of_document.tolist()]


# The summary of the demo in ten lines: who wins, whether that is firm, what the citations missed.


EFFORT = 100


def story(cited: Evidence, true: Evidence, thinned: Incomplete | None, recovered: Recovery | None) -> list[str]:
    """The lines of the summary. `cited` and `true` are the same runs under the two kinds of judgements."""
    return list(_lines(cited, true, thinned, recovered))


def _lines(cited: Evidence, true: Evidence, thinned: Incomplete | None, recovered: Recovery | None) -> Iterator[str]:
    trio = cited.trio
    systems, patents = len(cited.runs), len(cited.topics)
    yield f"{systems} systems searched for the prior art of {patents} patents; {_share_missed(cited, true)}"
    yield f"By citations {_winners(cited, trio)}."
    yield f"In truth     {_winners(true, trio)}."
    yield from _firmness(cited, true)
    yield _effort(cited, true)
    yield _thinned_in_words(thinned, trio)
    if recovered is None:
        yield f"The order by citations is not compared with the true one: {SAME}."
        return
    yield _order(recovered)
    yield from _measures_flattered(recovered)


def _share_missed(cited: Evidence, true: Evidence) -> str:
    """The share of the truly relevant documents that is cited, and the share of citations that is not relevant."""
    known, real = _pairs(cited), _pairs(true)
    found = len(known & real)
    return (
        f"their citations contain {percent(found / max(1, len(real)))} of what is truly relevant, and "
        f"{percent((len(known) - found) / max(1, len(known)))} of them are not relevant."
    )


def _pairs(evidence: Evidence) -> set[tuple[str, str]]:
    qrels = evidence.qrels
    topics = [qrels.topics[place] for place in qrels.topic_of_document.tolist()]
    rows = zip(topics, qrels.documents.names(), qrels.grades.tolist(), strict=True)
    return {(topic, document) for topic, document, grade in rows if grade >= evidence.level}


def _winners(evidence: Evidence, measures: Sequence[str]) -> str:
    """Who leads under each measure."""
    means = evidence.scores(measures).mean_values()
    best = [int(np.argmax(means[:, m])) for m in range(len(measures))]
    shown = [decimal(means[best[m], m], among=means[:, m]) for m in range(len(measures))]
    winners = [f"{evidence.runs[best[m]]} under {name} ({shown[m]})" for m, name in enumerate(measures)]
    if len(set(best)) == 1:
        scores = ", ".join(f"{name} {score}" for name, score in zip(measures, shown, strict=True))
        return f"{evidence.runs[best[0]]} is first under all three: {scores}"
    return f"first are {', '.join(winners)}"


def _firmness(cited: Evidence, true: Evidence) -> Iterator[str]:
    for name, evidence in (("By citations", cited), ("In truth", true)):
        found = evidence.standing
        if found.verdicts:
            yield f"{name}: {found.finding()} The nearest is {found.verdicts[0].other}."


def _effort(cited: Evidence, true: Evidence) -> str:
    shares = [float(one.scores(f"R@{EFFORT}").mean_values()[one.place(one.leader), 0]) for one in (cited, true)]
    return (
        f"Reading {EFFORT} documents of the leader finds {percent(shares[0])} of what was cited, and "
        f"{percent(shares[1])} of what is truly relevant."
    )


def _thinned_in_words(found: Incomplete | None, asked: Sequence[str]) -> str:
    """How much of the order of the systems the fewest citations keep, and by which measures there is none."""
    taus: dict[str, float] = {}
    said = []
    if found is not None:
        k = int(np.argmin(found.keep))
        means = zip(found.measures, found.mean[k].tolist(), strict=True)
        taus = {name: tau for name, tau in means if np.isfinite(tau)}  # NaN where no sample gives an order
        shown = ", ".join(f"{name} {tau}" for name, tau in zip(taus, decimal_column([*taus.values()], 2), strict=True))
        if taus:
            said = [f"With {100 * found.known[k]:.0f} % of the citations the order of systems keeps a τ of {shown}."]
    if without := [name for name in asked if name not in taus]:
        said.append(f"By {both(without)} there is no order that fewer citations could change.")
    return " ".join(said)


def _order(found: Recovery) -> str:
    """How similar the order by citations is to the true order, and what could not be compared."""
    wanted = [name for name in found.measures if name.endswith(f"@{EFFORT}") and not name.startswith("CT")]
    tau = found.tau[0, 0]
    taus = ", ".join(f"{name} {decimal(tau[found.measures.index(name)], 2, tau)}" for name in wanted)
    said = f"Against the true order, the order by citations has a τ of {taus}." if wanted else ""
    asked = [f"{name}@{EFFORT}" for name in (*WHOLE, BY_CLAIM)]
    without = [without_options(name) for name in asked if name not in found.measures]
    if without:
        are = "is" if len(without) == 1 else "are"
        said += f" {both(without)} {are} not compared: {SAME}."
    return said.strip()


def _measures_flattered(found: Recovery) -> Iterator[str]:
    """Which system citations flatter and which they harm; nothing where PRES ranks none."""
    if f"PRES@{EFFORT}" not in found.measures:
        return
    table = found.flattered(f"PRES@{EFFORT}").rows
    (most, up, *_), (least, down, *_) = table[0], table[-1]
    if not up and not down:
        yield "Citations flatter no system: all have their true places."
    else:
        yield f"Citations flatter {most} most ({up:+.0f} places) and harm {least} most ({down:+.0f})."


# The lab of a demo: what the demo made, where it is, in a lab beside it.


LAB_NAME = "lab"  # in the folder of the demo
CITED, TRUE = "qrels.citations", ("qrels.true", "qrels.true.claims")  # judgements, as the lab names them


def open_lab(folder: str | Path) -> Lab:
    """The lab in a folder, or that of a demo; the first time, what the demo made is added to it."""
    place = Path(folder)
    try:
        owned = identity_of(place)
    except InputError:
        owned = None  # Lab.open says what is wrong with it
    return _of_demo(place) if owned is not None and owned.kind == KIND else Lab.open(place)


def demo_measure(lab: Lab) -> str | None:
    """The measure that a demo speaks of, if a lab is that of a demo."""
    return MEASURE if _is_of_demo(lab) else None


def is_truth(lab: Lab, entry: LabEntry) -> bool:
    """Whether judgements have every relevant document: those by the truth of a demo."""
    return entry.kind == "qrels" and entry.name in TRUE and _is_of_demo(lab)


def _is_of_demo(lab: Lab) -> bool:
    if lab.folder.name != LAB_NAME:
        return False
    try:
        owned = identity_of(lab.folder.resolve().parent)
    except InputError:
        return False
    return owned is not None and owned.kind == KIND


def _of_demo(folder: Path) -> Lab:
    """The lab of a demo. Its runs are added again when the demo was made again."""
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve(LAB_NAME)
    place = folder / LAB_NAME
    lab = Lab.open(place) if is_owned(place) else Lab.create(place, "A simulated patent office")
    lab.add(folder / "office" / "collection", name="office", replaced=True)
    lab.add(folder / "index", name="words", replaced=True)
    for name in JUDGED:
        kind = "topics" if name.startswith("topics") else "qrels"
        lab.add(folder / "office" / name, kind=kind, replaced=True)  # the reasons of judgements are beside them
    for path in sorted((folder / "runs").glob("*.run")):
        lab.add(path, kind="run", replaced=True)
    for name in (REPORT, TRUE_REPORT):
        if (folder / name).exists():
            lab.add(folder / name, replaced=True)
    return lab


# A small pool to try the judging pages on: a simulated office, four systems, and what they return.


PATENTS, TOPICS, STRATA = 400, 4, "5:1,15:0.5,40:0.1"
RUNS = [{"query": ["whole", "claims"], "model": ["bm25", "dirichlet"]}]
POOL = "pool.txt"
BESIDE = ("", RECORD, JOURNAL, PEOPLE)  # the pool's file, and what is kept beside it


@dataclass(frozen=True)
class JudgingDemo:
    """The files of the demo."""

    pool: Path
    documents: Path
    topics: Path


def build_judging_demo(folder: Path, seed: int = 1) -> JudgingDemo:
    """Build the office, the runs and the pool in a folder; what is there already is used again."""
    made = JudgingDemo(folder / POOL, folder / "office" / "collection", folder / "topics.tsv")
    settings = Settings(patents=PATENTS, topics=TOPICS, seed=seed)
    build_lab(folder, settings, plan({"choices": CHOICES, "runs": RUNS}, "demo"), _quiet_stage)
    if not made.pool.exists():
        with OwnedFolder.locked(folder, KIND, VERSION) as owned:
            owned.reserve(*(f"{POOL}{ending}" for ending in BESIDE))
            runs = [read_run(path) for path in sorted((folder / "runs").glob("*.run"))]
            pool = draw_pool(runs, strata=STRATA, seed=seed)
            write_stored(f"{made.pool}{RECORD}", pool.record())
            write_stored(made.pool, pool.lines())
    return made


@contextlib.contextmanager
def _quiet_stage(name: str) -> Iterator[Step | None]:
    yield None


# A full check of a demo.


def check_demo(folder: Path) -> Iterator[Finding]:
    """Everything that is wrong with a demo. A step that is not done yet is not a fault."""
    yield from check_identity(folder)
    own = ("office", "index", KEYS, *JUDGED, STORED, REPORT, TRUE_REPORT, STORY, LAB_NAME)
    yield from check_listed(folder, [*own, *(f"{POOL}{ending}" for ending in BESIDE)])
    done = DoneSteps(folder)
    steps = done.read()
    if not steps:
        yield Finding(str(folder / KEYS), "is missing or damaged", REPAIR)
    if "office" in steps:
        yield from check_office(folder / "office")
        for name in JUDGED:
            source = folder / "office" / name
            yield from check_file(folder / name, file_sha256(source) if source.is_file() else None, REPAIR)
    if "index" in steps:
        yield from check_index(folder / "index")
    if "runs" in steps:
        yield from check_grid(folder)
    if "citations-truth" in steps:
        yield from findings(lambda: read_stored(folder / STORED), REPAIR)
    if "story" in steps:
        yield from check_file(folder / STORY, steps["story"], REPAIR)
        for name in (REPORT, TRUE_REPORT):
            if name in steps:
                yield from check_file(folder / name, steps[name], REPAIR)
            elif not key_written_in(folder / name):  # of an earlier version, which kept no checksums of reports
                yield Finding(str(folder / name), "is missing or damaged", REPAIR)
    if os.path.lexists(folder / LAB_NAME):
        yield from check_lab(folder / LAB_NAME)
    if os.path.lexists(folder / f"{POOL}{RECORD}"):
        yield from check_pool(folder / POOL)
