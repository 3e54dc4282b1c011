"""Machines as readers: opinions from files and models, roles, and what random draws say of them."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.judge.review.chat_service import ChatService, chat
from tests.judge.review.conftest import Mark, is_relevant

from leadline.cli import main
from leadline.errors import InputError, LeadlineWarning
from leadline.judge.choices import AUDIT
from leadline.judge.journal import Event, new_uid
from leadline.judge.review.labels import read_opinions
from leadline.judge.review.machine_measuring import (
    agreement_of_review,
    machine_savings,
    machine_sentences,
    share_limits,
)
from leadline.judge.review.machine_model import AskingLimits, ask_model, probability_in
from leadline.judge.review.machine_readers import (
    MachineReader,
    consent_event,
    machine_event,
    machine_words,
    opinion_event,
)
from leadline.judge.review.next_step import switch_events
from leadline.judge.review.project import STAGES, ReviewProject, check_review
from leadline.judge.review.report import ReviewReport, certificate_sentences
from leadline.judge.review.review_state import ReadingQueue, ReviewState
from leadline.show.serve.reviewing_figures import report_pdf
from leadline.text.store.events import ChainHead


@pytest.fixture
def service() -> Iterator[ChatService]:
    made = ChatService()
    yield made
    made.close()


def state_of(project: ReviewProject) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        return ReviewState.of(project, journal.events())


def store(project: ReviewProject, *events: Event) -> ReviewState:
    with contextlib.closing(project.journal()) as journal:
        journal.append_all(events)
    return state_of(project)


def machine(
    project: ReviewProject, opinions: dict[str, float], role: Any = "witness", name: str = "forest"
) -> ReviewState:
    reader = MachineReader(name, role, source="forest.csv", sha256="0" * 64)
    events = [opinion_event(reader, document, 1, p) for document, p in opinions.items()]
    return store(project, machine_event(new_uid(), reader, 1), *events)


def right(project: ReviewProject) -> dict[str, float]:
    return {unit[0]: 0.9 if is_relevant(unit[0]) else 0.1 for unit in project.units}


# Files.


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "id,probability\na5,0.9\na6,0.1\na7,\n"),
        ("a.tsv", "document\tlabel\na5\tincluded\na6\tno\na7\t\n"),
        ("a.jsonl", '{"id": "a5", "p": 0.9}\n{"id": "a6", "p": 0}\n{"id": "a7", "p": null}\n'),
        ("a.qrels", "brakes 0 a5 2\nbrakes 0 a6 0\nbrakes 0 a7 -1\n"),
        ("a.ris", "".join(f"TY  - JOUR\nID  - {d}\nTI  - T\nN1  - ASReview_{w}\nER  - \n\n"
                          for d, w in (("a5", "relevant"), ("a6", "irrelevant"), ("a7", "not_seen")))),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::leadline.errors.LeadlineWarning")
def test_opinions_of_every_form(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    found = read_opinions(tmp_path / name)
    assert {each: p >= 0.5 for each, p in found.items()} == {"a5": True, "a6": False}


def test_a_column_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,forest,net\na5,0.9,0.2\n")
    assert read_opinions(tmp_path / "a.csv", "net") == {"a5": 0.2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("id,probability\na5,7\n", ":2: '7' is neither a probability from 0 to 1 nor a label"),
        ("id,probability\na5,perhaps\n", "neither a probability"),
        ("id,probability\na5,0.1\na5,0.2\n", ":3: a5 has another opinion in an earlier row"),
        ("name,probability\na5,0.1\n", "no column of documents"),
        ("id,words\na5,0.1\n", "no column of probabilities or labels"),
        ("id,p\na5,\n", "has no opinion on any document"),
        ("1 0 a5 1\n2 0 a5 1\n", "has 2 topics, first 1"),
    ],
)
def test_files_that_are_no_opinions(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "opinions").write_text(text)
    with pytest.raises(InputError, match=said):
        read_opinions(tmp_path / "opinions")


def test_rows_without_an_opinion_are_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,p\na5,0.4\na6,\n")
    with pytest.warns(LeadlineWarning, match="1 row without an id or an opinion, left out"):
        read_opinions(tmp_path / "a.csv")


# Roles.


def coming(state: ReviewState, scores: np.ndarray) -> list[str]:
    queue = ReadingQueue(lambda: state.machines.ordered(scores))
    return [state.project.units[row][0] for row in queue.coming(state, len(state.project.units))]


def test_no_opinion_is_a_mark(project: ReviewProject, mark: Mark) -> None:
    before = mark("a1", "a5")
    for role in ("witness", "order", "second", "exclude"):
        state = machine(project, right(project), role)
        assert np.array_equal(state.is_read, before.is_read)
        assert state.round_certificate(1).certificate == before.round_certificate(1).certificate
        assert set(state.judging.roles) == set(before.judging.roles)
        assert state.machines.named("forest").effect in certificate_sentences(state)[-1]
    assert not list(check_review(project.folder))


def test_a_machine_that_orders(project: ReviewProject) -> None:
    scores = np.linspace(0, 1, len(project.units))
    assert coming(machine(project, right(project)), scores)[0] == "a59"  # only a witness
    first = coming(machine(project, right(project), "order"), scores)[:11]
    assert all(is_relevant(each) for each in first)
    assert first == sorted(first, key=lambda each: -int(each[1:]))  # ties are the learner's
    some = coming(machine(project, {"a7": 0.2}, "order", "other"), scores)
    assert len(some) == 59


def test_what_a_machine_excludes_is_read_last_and_can_be_drawn(project: ReviewProject) -> None:
    wrong = {unit[0]: 0.9 if int(unit[0][1:]) % 7 == 1 else 0.2 for unit in project.units}
    state = machine(project, wrong, "exclude")
    scores = np.linspace(0, 1, len(project.units))
    names = coming(state, scores)
    kept = [each for each in names if wrong[each] == 0.9]
    assert names[: len(kept)] == kept
    store(project, *switch_events(state, new_uid(), "anna", "assessor", ChainHead(0, "5")))
    assert len(state_of(project).draws[1].order) == len(names)  # also what the machine excluded


def test_a_second_reader_asks_the_expert(project: ReviewProject, mark: Mark) -> None:
    mark("a5", "a10", grade=0)
    state = mark("a1", "a2", grade=0)
    assert state.machine_disputed() == []
    state = machine(project, right(project), "second")
    rows = [project.row_of[each] for each in ("a5", "a10")]
    assert state.machine_disputed() == rows
    queue = ReadingQueue(lambda: np.zeros(len(project.units)))
    assert queue.next(state, "eve", STAGES[0], 2, expert=True) == rows
    assert "A machine would keep 2 documents that people excluded" in "".join(certificate_sentences(state))
    decided = Event(new_uid(), "eve", "expert", "mark", STAGES[0], "a5", "1")
    assert store(project, decided).machine_disputed() == rows[1:]
    audited = Event(new_uid(), "eve", "expert", "mark", AUDIT, "a10", "0")
    assert store(project, audited).machine_disputed() == []  # also what was decided in an audit


def test_the_report_says_what_machines_saved(project: ReviewProject, mark: Mark) -> None:
    said = {unit[0]: 0.9 if is_relevant(unit[0]) or unit[0] in ("a2", "a3", "a4") else 0.1 for unit in project.units}
    for role in ("witness", "order", "second", "exclude"):
        machine(project, said, role, role)
    assert "cannot be told yet" in machine_savings(state_of(project))[1]  # only what was known is read
    mark("a1", *(f"a{n}" for n in range(5, 60, 5)))
    mark("a2", "a3", person="eve", grade=0)
    mark("a3", person="ben", grade=0)
    state = store(project, Event(new_uid(), "olga", "expert", "mark", STAGES[0], "a2", "1"))
    saved = machine_savings(state)
    assert saved[0] == "witness: a witness saves no reading."
    # a0 was known; a1, then those on brakes
    order = r"order: 13 relevant documents found with 14 read(?: \((\d+) % less\))?; the learner svm "
    found = re.match(rf"{order}without a machine, tried again with the same marks, reads (\d+) for as many\.", saved[1])
    assert found is not None, saved[1]
    assert int(found[2]) >= 13
    assert saved[2] == (
        "second: it stood beside one reader in 14 documents that a second person would have read otherwise; of 2 that "
        "people excluded and it would keep the expert decided on 1, 1 of them relevant."
    )
    assert saved[3] == (
        "exclude: of 45 documents that it excludes, nobody has read 44 so far; people read 1 all the same, and kept 0 "
        "of these."
    )
    report = ReviewReport.of(state, ())
    assert report.machines[-4:] == tuple(saved)
    assert not set(saved) & set(report.certificate)
    assert report_pdf(report, state.round_certificate(1)).startswith(b"%PDF")


def test_wrong_machines_are_refused(project: ReviewProject) -> None:
    for wrong in ({"name": "a\nb"}, {"name": "m", "role": "judge"}, {"name": "m", "threshold": 0.0},
                  {"name": "m", "model": "x", "source": "https://u:p@h/v1"},
                  {"name": "m", "model": "x", "source": "https://[h/v1"},
                  {"name": "m", "model": "x", "source": "https://h/v1?key=secret"}):  # fmt: skip
        with pytest.raises(InputError):
            MachineReader(**wrong)  # type: ignore[arg-type]
    for value in ("", "[]", '{"p": 7}', '{"p": "x"}', "{}", '{"p": 0.5, "price": NaN}', '{"p": 0.5, "seconds": -1}',
                  '{"p": 0.5, "price": 1%s}' % ("0" * 400)):  # fmt: skip
        machine(project, {})
        bad = Event(new_uid(), "forest", "organiser", "opinion", STAGES[0], "a5", value)
        state = state_of(project)
        with pytest.raises(InputError, match="is no opinion of a machine"):
            state.add(bad)


# Measures.


def test_what_random_draws_say(project: ReviewProject, mark: Mark) -> None:
    machine(project, {name: p if name != "a15" else 0.1 for name, p in right(project).items()})
    assert "is not measured" in machine_sentences(state_of(project))[0]
    mark("a1", "a2")
    state = state_of(project)
    store(project, *switch_events(state, new_uid(), "anna", "assessor", ChainHead(0, "5")))
    order = state_of(project).draws[1].order
    state = mark(*(project.units[row][0] for row in order.tolist()))
    rows = {(row[0], row[1], row[2]): row[3:] for row in agreement_of_review(state).rows}
    documents, value, low, high = rows["forest, people", "random draws", "sensitivity"]
    assert (documents, value) == (11, 10 / 11)
    assert (low, high) == share_limits(10, 11)
    assert rows["forest, people", "random draws", "specificity"][:2] == [46, 1.0]
    assert rows["anna, forest", "all that was read", "kappa"][0] == 59
    assert "it keeps 0.91 [0.59, 1.00] of 11" in machine_sentences(state)[0]


# Models.


def model(project: ReviewProject, service: ChatService, *, allowed: bool = True, **more: Any) -> MachineReader:
    about = {"source": service.url, "model": "m1", "prompt": "Is it on {criteria}?", **more}
    reader = MachineReader("gpt", **about)
    events = [machine_event(new_uid(), reader, 1)]
    if allowed:
        events.append(consent_event(new_uid(), "127.0.0.1", allowed=True, round=1))
    store(project, *events)
    return reader


def ask(project: ReviewProject, reader: MachineReader, **limits: Any) -> Any:
    with contextlib.closing(project.journal()) as journal:
        state = ReviewState.of(project, journal.events())
        about = AskingLimits(**{"per_second": 1000.0, "seconds": 5.0, **limits})
        return ask_model(state, reader, journal, about, sleep=lambda _: None)


def test_a_model_is_asked_once_about_each_document(project: ReviewProject, service: ChatService, mark: Mark) -> None:
    reader = model(project, service, price_in=1.0, price_out=10.0)
    mark("a1", "a5")
    assert ask(project, reader, most=20).answered == 20
    done = ask(project, reader)
    assert (done.answered, done.unclear, done.failed, done.stopped) == (40, 0, 0, "")
    assert ask(project, reader).answered == 0
    assert len(service.questions) == len(set(service.questions)) == 60
    state = state_of(project)
    assert [bool(each) for each in state.machines.keeps("gpt")] == [is_relevant(unit[0]) for unit in project.units]
    assert state.machines.spent["gpt"] == pytest.approx(60 * 300 / 1e6)
    words = machine_words(state.machines, "gpt")
    assert "the model m1 at 127.0.0.1; witness): 60 opinions, 12 of them relevant; it cost 0.018" in words
    with contextlib.closing(project.journal()) as journal:
        kept = [json.loads(event.value) for event in journal.events() if event.kind == "opinion"]
    assert kept[0]["answer"].startswith('{"probability"')
    assert kept[0]["model"] == "m1-2026"
    assert kept[0]["tokens"] == [200, 10]
    assert kept[0]["seconds"] > 0


def test_nothing_is_sent_before_the_owner_said_so(project: ReviewProject, service: ChatService) -> None:
    reader = model(project, service, allowed=False)
    with pytest.raises(InputError, match=r"titles and abstracts may not be sent to 127\.0\.0\.1 yet"):
        ask(project, reader)
    store(project, consent_event(new_uid(), "127.0.0.1", allowed=True, round=1))
    assert ask(project, reader, most=1).answered == 1
    store(project, consent_event(new_uid(), "127.0.0.1", allowed=False, round=1))
    with pytest.raises(InputError, match="may not be sent"):
        ask(project, reader)
    assert len(service.questions) == 1


def test_what_is_sent_has_no_mark(project: ReviewProject, service: ChatService, mark: Mark) -> None:
    reader = model(project, service)
    ask(project, reader)
    before, service.questions = sorted(service.questions), []
    again = MachineReader("other", source=service.url, model="m1", prompt=reader.prompt)
    mark(*(f"a{n}" for n in range(1, 40)))
    store(project, machine_event(new_uid(), again, 1))
    ask(project, again)
    assert sorted(service.questions) == before
    assert service.questions[0].startswith("Is it on none given?\n\nTitle: Study")


def test_a_price_limit_is_kept(project: ReviewProject, service: ChatService) -> None:
    reader = model(project, service, price_in=1000.0)
    done = ask(project, reader, most_cost=1.0)  # 0.2 each
    assert (done.answered, round(done.cost, 6)) == (5, 1.0)
    assert "may cost more than is left" in done.stopped
    assert ask(project, reader, most_cost=1.0).cost <= 1.2
    with pytest.raises(InputError, match="needs --price-in"):
        ask(project, MachineReader("gpt", source=service.url, model="m1"), most_cost=1.0)


def test_a_price_that_is_not_told_cannot_be_limited(project: ReviewProject, service: ChatService) -> None:
    service.reply = lambda _, text: chat("0.5", usage=False)
    done = ask(project, model(project, service, price_in=1.0), most_cost=1.0)
    assert done.answered == 1
    assert "does not say how much was used" in done.stopped


def test_questions_are_asked_no_faster_than_allowed(project: ReviewProject, service: ChatService) -> None:
    reader, waits = model(project, service), []
    with contextlib.closing(project.journal()) as journal:
        state = ReviewState.of(project, journal.events())
        ask_model(state, reader, journal, AskingLimits(0.01, most=3), sleep=waits.append)
    assert len(waits) == 3
    assert all(90 < each <= 100 for each in waits[1:])


@pytest.mark.parametrize(
    ("answer", "p"),
    [
        ('Sure. {"reason": "x", "probability": 0.25}', 0.25), ('{"relevant": true}', 1.0), ('{"label": "no"}', 0.0),
        ("0.75", 0.75), ("75%", 0.75), ("Yes, it is.", 1.0), ("Excluded.", 0.0), ("not relevant", 0.0),
        ("", None), ("I am sorry", None), ("2 of 3", None), ('{"probability": 7}', None), ('{"p": "NaN"}', None),
        ("{" * 5000, None), ("1.5", None), ('{"probability": 1%s}' % ("0" * 400), None), ('{"p": 1e999}', None),
    ],
)  # fmt: skip
def test_answers_are_understood_or_said_not_to_be(answer: str, p: float | None) -> None:
    assert probability_in(answer) == p


def test_an_answer_that_is_not_understood_is_kept_and_not_asked_again(
    project: ReviewProject, service: ChatService
) -> None:
    service.reply = lambda _, text: chat("As a model I cannot say.\x1b[31m")
    reader = model(project, service)
    done = ask(project, reader, most=4)
    assert (done.answered, done.unclear) == (4, 4)
    state = state_of(project)
    assert not np.isfinite(state.machines.probabilities["gpt"]).any()
    assert "4 answers were not understood" in machine_words(state.machines, "gpt")
    assert ask(project, reader).answered == 56


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (lambda handler, _: handler.send(401, b'{"error": {"message": "wrong key"}}'), "HTTP status 401: wrong key"),
        (
            lambda handler, _: handler.send(302, b"", Location="http://127.0.0.1:1/"),
            "a redirect, which is not followed",
        ),
        (lambda handler, _: {"choices": []}, "not that of a chat"),
        (lambda handler, _: [1], "not that of a chat"),
        (lambda handler, _: chat(None), "has no text"),
        (lambda handler, _: handler.send(200, b"<p>busy"), "is not JSON"),
        (lambda handler, _: handler.send(500, b"{}"), "HTTP status 500"),
        (lambda handler, _: handler.drip(2.0), "no answer within 0.2 s"),
    ],
)
def test_wrong_answers_stop_it_in_a_line(project: ReviewProject, service: ChatService, reply: Any, said: str) -> None:
    service.reply = reply
    done = ask(project, model(project, service), seconds=0.2)
    assert done.answered == 0
    assert said in done.stopped
    assert "\n" not in done.stopped
    assert not state_of(project).machines.answered["gpt"]


def test_a_busy_service_is_asked_again(project: ReviewProject, service: ChatService) -> None:
    usual, times = service.reply, []

    def busy(handler: Any, text: str) -> Any:
        times.append(text)
        return handler.send(429, b"{}", Retry_After="1") if len(times) % 2 else usual(handler, text)

    service.reply = busy
    done = ask(project, model(project, service), most=3)
    assert (done.answered, done.failed) == (3, 0)
    assert len(times) == 6


def test_a_key_is_never_stored_or_printed(
    project: ReviewProject, service: ChatService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service may repeat it in an error, in the text of an answer where it is cut, and as the name of the model."""
    monkeypatch.setenv("TEST_MODEL_KEY", "secret-key-of-mine")

    def repeat(handler: Any, _: str) -> Any:
        told = f"no: {'x' * 980}{handler.headers['Authorization']}{'x' * 5000}"
        return chat(told, model=told) if len(service.headers) == 1 else handler.send(403, told[980:1100].encode())

    service.reply = repeat
    reader = model(project, service)
    with contextlib.closing(project.journal()) as journal:
        state = ReviewState.of(project, journal.events())
        done = ask_model(state, reader, journal, AskingLimits(100), key="TEST_MODEL_KEY", sleep=lambda _: None)
    assert service.headers[0]["Authorization"] == "Bearer secret-key-of-mine"
    assert (done.answered, "status 403" in done.stopped) == (1, True)
    assert "secret-" not in done.stopped
    assert b"secret-" not in (project.folder / "journal").read_bytes()


# The commands.


def test_the_commands(project: ReviewProject, service: ChatService, tmp_path: Path, capsys: Any) -> None:
    review = str(project.folder)
    lines = ["id,probability", *(f"{name},{p}" for name, p in right(project).items())]
    (tmp_path / "forest.csv").write_text("\n".join(lines) + "\n")
    assert not main(
        ["review", "machine", review, "forest", "--labels", str(tmp_path / "forest.csv"), "--role", "order"]
    )
    assert "60 opinions added" in capsys.readouterr().err
    assert not main(["review", "machine", review, "forest", "--role", "second", "--threshold", "0.95", "-f", "json"])
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["role"], row["threshold"], row["opinions"], row["relevant"]) == ("second", 0.95, 60, 0)
    asked = ["review", "machine", review, "gpt", "--url", service.url, "--model", "m1", "--per-second", "1000"]
    with pytest.raises(SystemExit):
        main([*asked, "--most", "2"])
    assert "--allow-texts 127.0.0.1 says they may" in capsys.readouterr().err
    assert not main([*asked, "--most", "2", "--allow-texts", "127.0.0.1"])
    assert "2 answers, 0 of them not understood, 0 missing" in capsys.readouterr().err
    assert not main([*asked, "-q"])
    assert len(service.questions) == 60
    with pytest.raises(SystemExit):
        main([*asked[:-2], "--prompt", str(tmp_path / "forest.csv")])
    assert "is a machine of this review with another model, address or prompt" in capsys.readouterr().err
    assert not main(["judge", "agreement", review, "-f", "csv", "-q"])
    table = capsys.readouterr().out
    assert "forest, gpt" in table
    assert "alpha" in table
    with pytest.raises(SystemExit):
        main(["judge", "agreement", review, "--by", "grade"])
    assert "is of pools" in capsys.readouterr().err


def test_the_document_runs_as_printed(
    project: ReviewProject, service: ChatService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """The commands of machines.md, asked of a service on this machine."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL_KEY", "secret")
    lines = ["id,probability", *(f"{name},{p}" for name, p in right(project).items())]
    (tmp_path / "forest.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "prompt.txt").write_text("Is it about brakes?")
    text = (Path(__file__).parents[3] / "docs" / "machines.md").read_text(encoding="utf-8")
    commands = [
        command
        for block in re.findall(r"^```console\n(.*?)^```", text, re.S | re.M)
        for command in block.replace("\\\n", " ").splitlines()
        if command.startswith("$ leadline ")
    ]
    assert len(commands) >= 5
    for command in commands:
        words = shlex.split(command.removeprefix("$ leadline "), comments=True)
        asked = [str(project.folder) if word == "asthma" else word for word in words]
        asked = [service.url if word.startswith("https://") else word for word in asked]
        asked = ["127.0.0.1" if word == "models.example.org" else word for word in asked]
        more = ["--per-second", "1000"] if "--url" in asked else []
        assert not main([*asked, *more]), command
    capsys.readouterr()
    assert len(service.questions) == 60
