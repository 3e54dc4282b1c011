"""What a user is told of a run that is not what it seems: each in one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from real_service import Office
from search_service import Handler, SearchService, leadline

from leadline.errors import LeadlineWarning
from leadline.retrieval.engines import asking
from leadline.retrieval.engines.asking import EngineQuery, read_engine, run_engine

RUN = "run --engine service.toml topics.tsv -o out.run"


def said(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert leadline(*words) == status
    return capsys.readouterr().err


def add(engine_file: Path, text: str) -> None:
    engine_file.write_text(engine_file.read_text() + text)


def test_patents_that_are_asked_without_an_index(engine_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("topics.tsv").write_text("topic\ttitle\nEP0049154B2\tfilm\n2\tmetal\n")
    note = "asked by title only: 1 topic with the number of a patent; own families and later documents are not left out"
    assert note in said(capsys, RUN)
    with pytest.warns(LeadlineWarning, match="1 topic with the number of a patent"):
        run_engine("service.toml", "topics.tsv")


def test_a_patent_that_the_index_lacks_is_refused(
    engine_file: Path, office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    index = f"{office.folder}/office.index"
    Path("topics.tsv").write_text("topic\ttitle\nEP9999999B2\tfilm\n")
    ours = said(capsys, f"run {index} topics.tsv --system bm25 -o o.run", status=1)
    theirs = said(capsys, f"run --engine service.toml {index} topics.tsv -o out.run", status=1)
    assert "topic EP9999999B2: is not a patent of" in theirs
    assert theirs == ours
    Path("topics.tsv").write_text("topic\ttitle\nnone\t\n")
    error = said(capsys, f"run --engine service.toml {index} topics.tsv -o out.run", status=1)
    assert "topic none has no text in title, description, narrative, and is no document of" in error


def test_fields_of_topics_that_are_patents(
    engine_file: Path, office: Office, capsys: pytest.CaptureFixture[str]
) -> None:
    add(engine_file, '[query]\nfields = ["title"]\n')
    ask = f"run --engine service.toml {office.folder}/office.index {office.folder}/office/topics.tsv -k 5 -o out.run"
    assert leadline(ask) == 1  # the small service does not know their first words
    notes = capsys.readouterr().err
    assert "patents are asked by patent_fields (title, abstract, claims); fields are those of topics in words" in notes


def test_long_queries_and_a_number_that_is_not_sent(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("topics.tsv").write_text(f"topic\ttitle\n1\tfilm{' film' * 300}\n2\tmetal\n")
    engine_file.write_text(f'kind = "http"\nurl = "{service.url}?q={{query}}"\nhits = "hits.hits"\nid = "_id"\n')
    notes = said(capsys, RUN)
    assert "queries have up to 301 words" in notes
    assert "neither {k} nor {size} is sent" in notes
    assert "the service never gave more than 40 of 1,000 documents asked for" in notes
    add(engine_file, "[limits]\nmost_documents = 40\n[query]\nmost_words = 5\n")
    notes = said(capsys, RUN)
    assert not any(words in notes for words in ("queries have", "neither", "never gave"))


def test_requests_are_counted_with_pages_and_failures(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    def busy(handler: Handler, query: str, tries: int) -> bool:
        if tries == 1:
            handler.answer(b"", 503)
        return tries == 1

    service.fault = busy
    text = engine_file.read_text().replace('size = "{k}"', 'size = "{size}", from = "{offset}"')
    engine_file.write_text(text.replace("[limits]", "page_size = 25\n[limits]\ncost = 0.5"))
    notes = said(capsys, RUN)
    assert sum(service.asked.values()) == 11  # each fails once, three have a second page
    assert "4 of 11 requests failed and were sent again" in notes
    assert "11 requests cost 5.5" in notes
    manifest = json.loads(Path("out.run.manifest.json").read_text())
    assert manifest["requests"] == {"sent": 11, "sent again": 4}
    assert (manifest["timing"]["cost"], manifest["timing"]["cost a query"]) == (5.5, 1.375)


def test_a_topic_without_words_fails_alone(engine_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(engine_file, '[query]\nbetween_words = " "\n')
    Path("topics.tsv").write_text("topic\ttitle\n1\tfilm\n2\t!?\n3\t\n")
    assert "2 of 3 topics failed: 2: has no words: '!?'" in said(capsys, RUN, status=1)
    assert said(capsys, RUN, "--partial")
    assert {line.split()[0] for line in Path("out.run").read_text().splitlines()} == {"1"}
    assert Path("out.run.failed.tsv").read_text().splitlines()[2].startswith("3\thas no text in title")


def test_all_that_was_found_is_left_out(
    engine_file: Path, office: Office, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    topics = office.folder / "office" / "topics.tsv"
    own = topics.read_text().splitlines()[1].split("\t")[0]

    def itself(handler: Handler, query: str, tries: int) -> bool:
        handler.answer({"hits": {"total": {"value": 1}, "hits": [{"_id": own, "_score": 1.0}]}})
        return True

    service.fault = itself
    Path("topics.tsv").write_text(f"topic\n{own}\n")
    ask = f"run --engine service.toml {office.folder}/office.index topics.tsv -o out.run"
    assert "1 document found, all left out (own family or too late)" in said(capsys, ask, status=1)


def test_settings_that_changed_since(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(handler: Handler, query: str, tries: int) -> bool:
        if query == "metal":
            handler.answer({}, 400)
        return query == "metal"

    service.fault = broken
    assert leadline(RUN) == 1
    assert "settings changed: 3 finished topics of out.run.unfinished are not used" in said(
        capsys, RUN, "-k 5", status=1
    )


def test_a_long_wait_is_told_once(engine_file: Path, service: SearchService, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(handler: Handler, query: str, tries: int) -> bool:
        if tries == 1:
            handler.answer(b"", 429, {"Retry-After": "1"})
        return tries == 1

    service.fault = busy
    monkeypatch.setattr(asking, "LONG_WAIT", 0.5)
    told: list[str] = []
    done = asking.ask_topics(
        read_engine("service.toml"), [EngineQuery(str(n), f"film {n}") for n in range(4)], 5, say=told.append
    )
    assert not done.failed
    assert told == ["waits 1 s: HTTP status 429"]


def test_code_that_is_not_there_is_named_with_the_file(
    engine_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine_file.write_text('kind = "python"\nfunction = "no_such_module:search"\n')
    assert "service.toml: python: no_such_module:search cannot be loaded" in said(capsys, RUN, "--run-code", status=1)
    Path("gives_none.py").write_text("def search(query, k): pass\n")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.delitem(sys.modules, "gives_none", raising=False)
    engine_file.write_text('kind = "python"\nfunction = "gives_none:search"\n')
    assert "returned None, not a list of ids" in said(capsys, RUN, "--run-code", status=1)


def test_a_folder_that_is_not_there(engine_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = said(capsys, RUN.replace("out.run", "nodir/k.run"), status=1)
    assert error == "leadline: nodir: no such folder: make it, or name another file for the run\n"
