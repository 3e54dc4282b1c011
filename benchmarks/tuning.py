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

LEAST = 0.002  # of the mean of AP and PRES@100 that a further step must gain
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
    | {"20 documents, weight 0.2, of the largest": _then(Citations(20, 0.2, credit="rank"))}
    | {
        f"10 documents, weight {weight}, cap 2": _then(Citations(10, weight, credit="rank", cap=2.0))
        for weight in (0.2, 0.35, 0.5)
    }
    | {
        f"10 documents, weight {weight}, shared, cap {cap}": _then(
            Citations(10, weight, credit="rank", split="shared", cap=cap)
        )
        for cap in (1.5, 2.0)
        for weight in (0.35, 0.5)
    },
    "family members": {"none": _as_it_is, "all": _then(FamilyMembers())},
}

TITLED = Search("bm25", title=2.0)
# For needs in words, where there is nothing to tune patents on: the classic collections say whether feedback helps.
TEXT: dict[str, Step] = {
    "bm25": Survey() >> Search("bm25"),
    "bm25, rm3 of 10 documents": Survey() >> Search("bm25") >> RM3(10, 30, 0.7, chances="equal") >> Search("bm25"),
    "bm25, rm3 of 5 documents": Survey() >> Search("bm25") >> RM3(5, 30, 0.7, chances="equal") >> Search("bm25"),
    "bm25, title twice": Survey() >> TITLED,
    "best": Survey() >> TITLED >> RM3(10, 30, 0.85, chances="equal") >> TITLED,
}


def build_up(worth: Callable[[Step], Sequence[float]]) -> tuple[list[tuple[list[object], bool]], Step]:
    """Every choice with what it is worth and whether it was taken, and the last pipeline.

    The mean of the first and the third figure, AP and PRES@100, decides.
    """
    tried: list[tuple[list[object], bool]] = []
    found: Step | None = None
    for stage, choices in STAGES.items():
        made = {name: choice(found) for name, choice in choices.items()}
        values = {name: worth(pipeline) for name, pipeline in made.items()}
        plainest = next(iter(choices))
        merit = {name: (figures[0] + figures[2]) / 2 for name, figures in values.items()}
        best = max(merit, key=lambda name: merit[name])
        chosen = best if found is None or merit[best] - merit[plainest] >= LEAST else plainest
        tried += [([stage, name, *values[name]], name == chosen) for name in choices]
        found = made[chosen]
    assert found is not None
    return tried, found
