"""A model as a reader of a review: asked over HTTP in the common form of chats, one document after the other.

What is sent is the prompt with the criteria, and the title and abstract of a document: nothing of what people marked.
Nothing is sent before the owner has let texts go to that host for this review. Each answer is in the journal before the
next question is asked, so asking goes on where it was stopped.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np

from leadline.collections.documents.document import Document
from leadline.errors import InputError, visible
from leadline.judge.journal import JudgingJournal
from leadline.judge.review.machine_readers import MachineReader, opinion_event
from leadline.judge.review.review_state import ReviewState
from leadline.retrieval.engines.engine import AskingFailedError, without_secrets
from leadline.retrieval.engines.kinds.http import HttpService, JsonConnection, json_connection

DEFAULT_PROMPT = """You screen records for a systematic review by title and abstract.

Review: {title}
Criteria: {criteria}

How likely is it that this record meets the criteria? Answer with JSON alone: {"probability": a number from 0 to 1}.
"""
LONGEST_ANSWER = 2_000  # characters that the journal keeps of an answer
LONGEST_TEXT = 20_000  # characters that are sent of a document, and read of an answer
RETRIES, LONGEST_PAUSE = 3, 60.0
IN_A_ROW = 3  # documents without an answer, after which asking stops: the service is away, or asked wrongly
_NUMBER = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d+)?|\.\d+)\s*(%?)(?!\.?\d)")
_YES = re.compile(r"\W*(?:yes|include|included|relevant)\b", re.IGNORECASE)
_NO = re.compile(r"\W*(?:no|exclude|excluded|irrelevant|not relevant)\b", re.IGNORECASE)
_OBJECT = re.compile(r"\{[^{}]*\}")
_NAMES = ("probability", "p", "relevance", "score", "relevant", "include", "label", "decision")


@dataclass(frozen=True)
class AskingLimits:
    """How fast a model is asked, and how much it may cost."""

    per_second: float = 1.0
    most_cost: float | None = None  # all opinions of this machine together, in the currency of its prices
    most: int | None = None  # documents this time
    seconds: float = 60.0  # for one answer


@dataclass
class Asked:
    """What asking came to."""

    answered: int = 0
    unclear: int = 0
    failed: int = 0
    cost: float = 0.0
    stopped: str = ""  # why it ended before all was asked


def chat_service(reader: MachineReader, key: str = "") -> HttpService:
    """The service of a model; `key` is the environment variable with the key, which is never stored."""
    headers = {"Authorization": f"Bearer ${{{key}}}"} if key else {}
    messages = [{"role": "user", "content": "{query}"}]
    return HttpService(
        url=reader.source,
        method="POST",
        headers=headers,
        body={"model": reader.model, "temperature": 0, "messages": messages},
    )


def question(reader: MachineReader, state: ReviewState, document: Document) -> str:
    """What is sent of a document: the prompt, title and abstract."""
    settings = state.project.settings
    prompt = reader.prompt.replace("{title}", settings.title).replace("{criteria}", settings.criteria or "none given")
    text = f"Title: {' '.join(document.title.split())}\nAbstract: {' '.join(document.abstract.split()) or 'none'}"
    return f"{prompt.rstrip()}\n\n{text[:LONGEST_TEXT]}"


def probability_in(answer: str) -> float | None:
    """The probability that an answer names, or 1 and 0 for yes and no; None where it is not understood.

    >>> probability_in('{"probability": 0.8}'), probability_in("80 %"), probability_in("Included: a trial")
    (0.8, 0.8, 1.0)
    >>> probability_in("I cannot say"), probability_in("between 0.2 and 0.4"), probability_in("7")
    (None, None, None)
    """
    for found in _OBJECT.findall(answer):
        try:
            said = json.loads(found)
        except (ValueError, RecursionError):
            continue
        for name in _NAMES:
            value = said.get(name)
            if isinstance(value, bool):
                return float(value)
            if isinstance(value, str) and (value := probability_in(value)) is not None:
                return value
            if isinstance(value, (int, float)) and 0 <= value <= 1:  # which nothing that is not finite is
                return float(value)
    if _NO.match(answer):
        return 0.0
    if _YES.match(answer):
        return 1.0
    numbers = [float(number) / (100 if percent else 1) for number, percent in _NUMBER.findall(answer)]
    return numbers[0] if len(numbers) == 1 and 0 <= numbers[0] <= 1 else None


def left_to_ask(state: ReviewState, name: str) -> list[int]:
    """The rows that a machine was not asked about: those that were drawn at random first, since they measure it."""
    draws = [row for each in state.draws.values() for row in each.order.tolist() if state.is_read[row]]
    rest = np.flatnonzero(~np.isin(np.arange(len(state.project.units)), draws)).tolist()
    done = state.machines.answered.get(name, set())
    return [row for row in (*draws, *rest) if row not in done]


def ask_model(
    state: ReviewState,
    reader: MachineReader,
    journal: JudgingJournal,
    limits: AskingLimits,
    *,
    key: str = "",
    progress: Callable[[int, int], None] | None = None,
    sleep: Callable[[float], object] = time.sleep,
) -> Asked:
    """Ask a model about every document that it was not asked about; each answer is stored before the next question."""
    if reader.host not in state.machines.hosts:
        problem = (
            f"titles and abstracts may not be sent to {reader.host} yet: --allow-texts {reader.host} says they may"
        )
        raise InputError(reader.name, problem)
    if limits.most_cost is not None and not (reader.price_in or reader.price_out):
        raise InputError("--most-cost", "needs --price-in or --price-out, the prices of a million tokens")
    if limits.per_second <= 0:
        raise InputError("--per-second", f"must be above 0, got {limits.per_second:g}")
    service, done = chat_service(reader, key), Asked(cost=state.machines.spent.get(reader.name, 0.0))
    rows = left_to_ask(state, reader.name)[: limits.most]
    dearest, failed_in_a_row, due = 0.0, 0, time.monotonic()
    with closing(json_connection(service, limits.seconds)) as connection:
        for place, (row, document) in enumerate(_documents(state, rows)):
            if limits.most_cost is not None and done.cost + dearest > limits.most_cost:
                done.stopped = f"the next answer may cost more than is left of {limits.most_cost:g}"
                break
            sleep(max(0.0, due - time.monotonic()))
            due = time.monotonic() + 1 / limits.per_second
            begin = time.perf_counter()
            try:
                found = _answered(connection, question(reader, state, document), sleep)
                p, about = _opinion(found, reader, service.secret_texts())
            except AskingFailedError as failure:
                done.failed += 1
                failed_in_a_row += 1
                reason = visible(without_secrets(str(failure), service.secret_texts()))
                if failed_in_a_row >= IN_A_ROW or not failure.passes:
                    done.stopped = f"{reader.host} gave no answer on {document.id}: {reason}"
                    break
                continue
            failed_in_a_row, seconds = 0, time.perf_counter() - begin
            unit = state.project.units[row][0]
            event = opinion_event(reader, unit, int(state.project.round_of[row]), p, seconds=round(seconds, 3), **about)
            journal.append(event)
            done.answered, done.unclear = done.answered + 1, done.unclear + (p is None)
            price = float(about.get("price", 0.0))
            done.cost, dearest = done.cost + price, max(dearest, price)
            if limits.most_cost is not None and "price" not in about:
                done.stopped = f"{reader.host} does not say how much was used, so the price cannot be limited"
                break
            if progress is not None:
                progress(place + 1, len(rows))
    return done


def _answered(connection: JsonConnection, text: str, sleep: Callable[[float], object]) -> Any:
    """The answer to one question, asked again where the failure may pass."""
    for number in range(RETRIES + 1):
        try:
            return connection.answer(text)
        except AskingFailedError as failure:
            if not failure.passes or number == RETRIES:
                raise
            sleep(min(max(failure.wait, 0.5 * 2**number), LONGEST_PAUSE))
    raise AssertionError("the last try returns or raises")


def _opinion(found: Any, reader: MachineReader, secrets: Sequence[str]) -> tuple[float | None, dict[str, Any]]:
    """The probability in an answer, and what the journal keeps of it; AskingFailedError where it is no answer.

    The key is not kept: a service may repeat it. Of a long answer the beginning and the end are, where the decision is.
    """
    try:
        answer = found["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        try:
            said = json.dumps(found)[:LONGEST_TEXT]
        except RecursionError:
            said = "it is nested too deeply"
        raise AskingFailedError(f"the answer is not that of a chat: {without_secrets(said, secrets)[:120]}") from None
    if not isinstance(answer, str):
        raise AskingFailedError("the answer has no text", passes=True)
    answer = kept = without_secrets(answer[:LONGEST_TEXT], secrets)
    if len(kept) > LONGEST_ANSWER:
        kept = f"{kept[: LONGEST_ANSWER // 2]} … {kept[-LONGEST_ANSWER // 2 :]}"
    about: dict[str, Any] = {"answer": visible(kept, "\t\n")}
    if isinstance(model := found.get("model"), str):
        about["model"] = visible(without_secrets(model[:LONGEST_TEXT], secrets)[:200])
    usage = found.get("usage")
    names = ("prompt_tokens", "completion_tokens")
    tokens: list[Any] = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    if tokens and all(type(each) is int and 0 <= each < 1 << 40 for each in tokens):
        about["tokens"] = tokens
        about["price"] = (tokens[0] * reader.price_in + tokens[1] * reader.price_out) / 1e6
    return probability_in(answer), about


def _documents(state: ReviewState, rows: Sequence[int], at_once: int = 50) -> Iterator[tuple[int, Document]]:
    """Documents by their rows, in the order of the rows."""
    collections = state.project.collections()
    for start in range(0, len(rows), at_once):
        for row in rows[start : start + at_once]:
            collection = collections[int(state.project.round_of[row]) - 1]
            yield row, collection.document(state.project.units[row][0])
