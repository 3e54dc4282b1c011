"""How the system `best` was found: choices made one after the other, on topics that no reported result uses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.query.text import Counting
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestTerms,
    Citations,
    ClassAgreement,
    FamilyMembers,
    Fuse,
    Search,
    Survey,
    Text,
)

LEAST = 0.002  # of PRES@100 that a further step must gain
Stage = dict[str, Callable[[Step | None], Step]]
MODELS = (
    "bm25", "bm25(b=1)", "dirichlet", "dph", "jelinek-mercer(background=0.7)", "jelinek-mercer(background=0.85)",
)  # fmt: skip
COUNTING: tuple[Counting, ...] = ("frequency", "log")


def _words(counting: Counting, model: str) -> Callable[[Step | None], Step]:
    return lambda _: Text(counting=counting) >> Search(model)


def _phrases(weight: float) -> Callable[[Step | None], Step]:
    def fused(words: Step | None) -> Step:
        assert words is not None
        terms = BestTerms(200, ("phrases",), into="same") >> Search("jelinek-mercer(background=0.85)")
        return Fuse((words, Where(("phrases",), then=terms, otherwise=words)), "linear", (1 - weight, weight))

    return fused


def _then(step: Step) -> Callable[[Step | None], Step]:
    def behind(before: Step | None) -> Step:
        assert before is not None
        return before >> step

    return behind


def _as_it_is(before: Step | None) -> Step:
    assert before is not None
    return before


# What is tried at each choice, the plainest first. A choice takes the pipeline so far and gives the next one.
STAGES: dict[str, Stage] = {
    "words and model": {f"{counting}, {model}": _words(counting, model) for counting in COUNTING for model in MODELS},
    "noun phrases": {"none": _as_it_is} | {f"weight {weight}": _phrases(weight) for weight in (0.15, 0.3, 0.45)},
    "class agreement": {"none": _as_it_is}
    | {f"subclass, weight {weight}": _then(ClassAgreement("subclass", weight)) for weight in (0.1, 0.15, 0.2)},
    "citations": {"none": _as_it_is}
    | {
        f"{documents} documents, weight {weight}": _then(Citations(documents, weight, credit="rank"))
        for documents in (10, 20)
        for weight in (0.1, 0.2, 0.3)
    },
    "family members": {"none": _as_it_is, "all": _then(FamilyMembers())},
}

# For needs in words, where there is nothing to tune patents on: the classic collections say whether feedback helps.
TEXT: dict[str, Step] = {
    "bm25": Survey() >> Search("bm25"),
    "bm25, rm3 of 10 documents": Survey() >> Search("bm25") >> RM3(10, 30, 0.7, chances="equal") >> Search("bm25"),
    "bm25, rm3 of 5 documents": Survey() >> Search("bm25") >> RM3(5, 30, 0.7, chances="equal") >> Search("bm25"),
}


def build_up(worth: Callable[[Step], Sequence[float]]) -> tuple[list[tuple[list[object], bool]], Step]:
    """Every choice with what it is worth and whether it was taken, and the last pipeline; the third figure decides."""
    tried: list[tuple[list[object], bool]] = []
    found: Step | None = None
    for stage, choices in STAGES.items():
        made = {name: choice(found) for name, choice in choices.items()}
        values = {name: worth(pipeline) for name, pipeline in made.items()}
        plainest = next(iter(choices))
        best = max(values, key=lambda name: values[name][2])
        chosen = best if found is None or values[best][2] - values[plainest][2] >= LEAST else plainest
        tried += [([stage, name, *values[name]], name == chosen) for name in choices]
        found = made[chosen]
    assert found is not None
    return tried, found
