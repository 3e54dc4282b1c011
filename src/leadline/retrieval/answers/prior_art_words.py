"""What a search for prior art found, in words and as a record: for the command, and for the pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leadline.collections.documents.document import Claim, Document
from leadline.records.scores.result import counted
from leadline.retrieval.answers.passages import BEARING
from leadline.retrieval.answers.prior_art_search import ABSTRACT, DEFAULT_SYSTEM, BearingPassage, PriorArt, evidence
from leadline.retrieval.answers.search_hits import result_table
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.request import Request

HALF = 0.5  # of a claim's words in one passage: the first sentence counts the claims that have such a hit


def fit_words(one: BearingPassage) -> str:
    """How well a hit fits a claim, in words."""
    fit = "" if np.isnan(one.level) else f"first {_percent(one.level)} · "
    return f"{fit}{_share(one.share)} of the words, {_share(one.distinguishing)} of the distinguishing ones"


def bearing_rule(found: PriorArt) -> str:
    """What "bears on" means here, with its rate of false alarms."""
    if not found.bearing or not found.hits:
        return ""
    what = "a claim" if found.topic.claims else "the abstract"
    if np.isnan(found.false_alarms):
        return (
            f"A hit bears on {what} if a passage has {_share(BEARING)} of its words, a distinguishing one among them. "
            f"There are only {found.compared} "
            "to compare with, too few to know how often that is a false alarm."
        )
    return (
        f"A hit bears on {what} if a passage has a distinguishing word of it and at most "
        f"{_percent(found.false_alarms)} of {found.compared} fit it as well, so that {_percent(found.false_alarms)} of "
        "these would be false alarms."
    )


def system_line(context: SearchContext, request: Request, named: str | None) -> str:
    """Which system searched, and why."""
    if named:
        return f"System: {named}, as asked."
    used, missing = evidence(context, request)
    lacking = f"; without {_listed(missing)}, which are missing" if missing else ""
    return f"System: {DEFAULT_SYSTEM}, by {_listed(used)}{lacking}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def prior_art_finding(found: PriorArt) -> str:
    """The result in one sentence."""
    if not found.hits:
        return "Nothing was found."
    families = "The first family" if len(found.hits) == 1 else f"The first {len(found.hits)} families"
    verb = "bears" if len(found.hits) == 1 else "bear"
    if not found.bearing:
        return f"{families} found; the patent has neither claims nor an abstract to compare them with."
    counts = [len(found.claims_of(place)) for place in range(len(found.hits))]
    if not found.topic.claims:
        return f"{families} found, {sum(map(bool, counts))} of which bear on the abstract; the patent has no claims."
    reached = sum(bool(each.found) for each in found.bearing)
    if not reached:
        return f"{families} {verb} on none of its claims."
    most = int(np.argmax(counts))
    leader = f"; hit {most + 1}, {found.hits[most].name}, on {counts[most]}" if len(found.hits) > 1 else ""
    strong = sum(any(one.share >= HALF for one in each.found) for each in found.bearing)
    much = f"on {strong or 'none'} of them by a passage with half of the claim's words"
    return f"{families} {verb} on {reached} of its {claim_count(found.topic.claims)}, {much}{leader}."


def topic_date(topic: Document) -> tuple[str, str]:
    """What the date of a topic is, and the date: its priority, or else its filing or publication."""
    dates = (("priority", topic.priority), ("filed", topic.application), ("published", topic.publication))
    return next(((kind, date) for kind, date in dates if date), ("undated", ""))


def claim_count(claims: Sequence[Claim]) -> str:
    return counted(len(claims), "claim") if claims else "no claims"


def claim_numbers(numbers: Sequence[int]) -> str:
    """The numbers of claims, three or more in a row as a range.

    >>> claim_numbers([1, 2, 3, 7, 9, 10])
    'claims 1–3, 7, 9, 10'
    """
    if list(numbers) == [ABSTRACT]:
        return "the abstract"
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"claim{'s' * (len(numbers) > 1)} {', '.join(parts)}"


def _share(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")


def _percent(share: float) -> str:
    """A share as a percentage, of two digits.

    >>> _percent(0.05), _percent(0.0037), _percent(0.125)
    ('5 %', '0.37 %', '12 %')
    """
    return f"{100 * share:.2g} %"


def search_notes(found: PriorArt, named: str | None) -> list[str]:
    """Notes of the pipeline as sentences; what the line about the default system says is not said again."""
    said = ("searched without the field", "without any class") if not named else ()
    notes = [note for note in found.notes if not note.startswith(said)] if said else list(found.notes)
    sentences = (note.removeprefix("searched ").replace(", for which", ", so that") for note in notes)
    return [f"{found.topic.id} was searched {note}" for note in sentences]


def hidden_note(found: PriorArt) -> list[str]:
    """How many documents were hidden, and why."""
    reasons = {
        "itself": "the patent itself",
        "own family": f"{found.hidden['own family']:,} of its own family",
        "later": f"{found.hidden['later']:,} published after {topic_date(found.topic)[1]}",
    }
    hidden = [words for reason, words in reasons.items() if found.hidden[reason]]
    return [f"hidden: {', '.join(hidden)}"] if hidden else []


def prior_art_record(found: PriorArt) -> dict[str, Any]:
    """The whole result as one JSON object."""
    rows = result_table(found.hits, found.snippets, {})
    hits = [dict(zip(rows.columns, row, strict=True)) for row in rows.rows]
    for place, hit in enumerate(hits):
        hit["claims"] = [{"claim": number, "share": share} for number, share in found.claims_of(place).items()]
    claims = [
        {
            "claim": each.claim.number,
            "part": each.name,
            "text": each.claim.text,
            "distinguishing": {"text": each.part.text, "basis": each.part.basis},
            "hits": [
                {"rank": one.hit + 1, "document": found.hits[one.hit].name, "where": one.passage.where,
                 "share": one.share, "distinguishing": one.distinguishing, "level": _number(one.level),
                 "passage": one.passage.text}
                for one in each.found
            ],
        }
        for each in found.bearing
    ]  # fmt: skip
    kind, date = topic_date(found.topic)
    topic = {"document": found.topic.id, "title": found.topic.title, "priority": found.topic.priority, "date": date,
             "date_kind": kind}  # fmt: skip
    rule = {"false_alarms": _number(found.false_alarms), "class": found.compared.name,
            "compared_with": len(found.compared.rows)}  # fmt: skip
    return {"topic": topic, "hits": hits, "claims": claims, "rule": rule, "hidden": dict(found.hidden),
            "notes": search_notes(found, None)}  # fmt: skip


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value
