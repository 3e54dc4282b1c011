"""Do citations put the systems in their true order? Rank the systems of simulated offices by both.

Judgements by citation come in four kinds: all citations or only those of examiners, and with or without documents
published after the topic's priority. The Cube Test needs judgements by claim, which citations do not give: here, as in
an office action, each citation names the claims that the document is relevant to, without errors; a cited document that
is not prior art is relevant to none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from leadline.collections.documents.store import Collection
from leadline.collections.simulate.settings import Settings
from leadline.errors import InputError
from leadline.judge.citations.from_citations import from_citations
from leadline.measures.hits import Mask
from leadline.records.qrels.qrels import Qrels
from leadline.records.qrels.read_qrels import read_qrels
from leadline.records.runs.read_runs import read_run
from leadline.records.runs.run import Run
from leadline.records.topics.topic import Topics
from leadline.show.demo.build import KIND, VERSION, DoneSteps, Stage, build_lab, step_key
from leadline.show.demo.systems import LARGE, planned
from leadline.show.papers.beyond import STORED, read_stored
from leadline.text.checksums import sealed
from leadline.text.files import write_whole
from leadline.text.owned_folder import OwnedFolder
from leadline.trust.recovery import Recovery, recovery, together
from leadline.trust.study import Study, open_study

EFFORTS = (20, 100, 500)
WHOLE = ("AP", "R", "PRES")  # measures of whole documents
BY_CLAIM = "CT(theta=given)"
EXAMINERS = ("examiner",)
ALL = "all citations"
SEED = 1  # of the random control
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
    systems = planned(LARGE)
    found = []
    for seed in seeds:
        lab = build_lab(folder / f"seed-{seed}", replace(base, seed=seed), systems, stage)
        with stage(f"both judgements of seed {seed}") as _:
            found.append(study_lab(lab, efforts))
    return together(found)


def study_lab(folder: Path, efforts: Sequence[int] = EFFORTS) -> Recovery:
    """The study of one lab whose truth is known, read from its folder if it was made before."""
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
    found = recovery(truth, judged)
    with OwnedFolder.locked(folder, KIND, VERSION) as owned:
        owned.reserve(STORED)
        write_whole(stored, sealed(found.to_record()))
        done.add("citations-truth", key)
    return found


def _studies(whole: Qrels, claims: Qrels, runs: dict[str, Run], efforts: Sequence[int]) -> list[Study]:
    """One study of whole documents and one by claim, under each measure at each effort."""
    names = [f"{name}@{effort}" for name in WHOLE for effort in efforts]
    return [open_study(whole, runs, names), open_study(claims, runs, [f"{BY_CLAIM}@{effort}" for effort in efforts])]


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
