"""Services over HTTP: what they are asked, what becomes of their answers, and of their faults."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from search_service import DOCUMENTS, Handler, SearchService, leadline

from leadline.errors import InputError
from leadline.retrieval.engines.asking import EngineFile, EngineQuery, ask_topics, read_engine

RUN = "run --engine service.toml topics.tsv -o out.run"


def asked(service: EngineFile, *texts: str, k: int = 10) -> dict[str, list[str]]:
    done = ask_topics(service, [EngineQuery(text, text) for text in texts], k)
    assert not done.failed
    return {topic: list(ids) for topic, (ids, _) in done.answers.found.items()}


def failure(service: EngineFile, text: str = "film") -> str:
    done = ask_topics(service, [EngineQuery("1", text)], 10)
    assert not done.answers.found
    return done.failed["1"]


def test_a_run_of_a_service(engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]) -> None:
    assert leadline(RUN) == 0
    lines = Path("out.run").read_text().splitlines()
    assert lines[0].split() == ["1", "Q0", "D001", "1", "39.0", "service"]
    assert len(lines) == 120  # topic 3 found nothing, and this is said
    errors = capsys.readouterr().err
    assert "1 topic for which nothing was found: 3" in errors
    assert "a query took" in errors
    manifest = json.loads(Path("out.run.manifest.json").read_text())
    assert manifest["timing"]["queries"] == 4
    assert manifest["timing"]["at_once"] == manifest["limits"]["at_once"] == 4
    assert set(manifest["seconds"]) == {"1", "2", "3", "4"}
    assert manifest["engine"]["kind"] == "http"
    assert not Path("out.run.unfinished").exists()
    assert {"query": {"match": {"text": "number 7"}}, "size": 1000} in service.bodies


def test_what_is_asked_is_only_filled_in_once(engine_file: Path, service: SearchService) -> None:
    query = 'film "{k}" {query} \\ ü'
    assert len(asked(read_engine("service.toml"), query, k=5)[query]) == 5
    assert service.bodies[-1] == {"query": {"match": {"text": query}}, "size": 5}


def test_parameters_pages_and_secrets(
    engine_file: Path, service: SearchService, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"""
kind = "http"
url = "{service.url}/search"
parameters = {{q = "{{query}}", k = "{{size}}", from = "{{offset}}"}}
headers = {{Authorization = "Bearer ${{TOKEN}}"}}
hits = "hits.hits"
id = "_id"
page_size = 15
"""
    engine_file.write_text(text)
    with pytest.raises(InputError, match=r"service.toml: environment: the variable TOKEN is not set"):
        read_engine("service.toml")
    monkeypatch.setenv("TOKEN", "s3cret")
    assert asked(read_engine("service.toml"), "film & metal", k=40)["film & metal"] == list(DOCUMENTS)
    assert service.asked["film & metal"] == 3  # 15, 15, 10
    assert all(headers["Authorization"] == "Bearer s3cret" for headers in service.headers)
    assert leadline(RUN) == 0
    written = Path("out.run.manifest.json").read_text() + Path("out.run").read_text() + capsys.readouterr().err
    assert "s3cret" not in written


def test_a_limit_of_words_and_documents(engine_file: Path, service: SearchService) -> None:
    engine_file.write_text(engine_file.read_text() + "most_documents = 7\n[query]\nmost_words = 1\n")
    assert leadline(RUN, "-q") == 0
    assert set(service.asked) == {"film", "metal", "nothing", "number"}
    assert all(body["size"] == 7 for body in service.bodies)


def test_cut_queries_are_said(engine_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine_file.write_text(engine_file.read_text() + "[query]\nmost_words = 1\n")
    leadline(RUN)
    assert "1 topic whose queries were cut to the service's limit: 4" in capsys.readouterr().err


def test_several_at_once_but_not_more_than_allowed(engine_file: Path, service: SearchService) -> None:
    together = threading.Barrier(3, timeout=60)

    def until_there_are_three(*_: object) -> bool:
        together.wait()
        return False

    service.fault = until_there_are_three
    engine_file.write_text(engine_file.read_text() + "at_once = 3\n")
    asked(read_engine("service.toml"), *(f"film {number}" for number in range(12)))
    assert service.most_at_once == 3


def test_not_too_often(engine_file: Path) -> None:
    engine_file.write_text(engine_file.read_text() + "per_second = 20\n")
    start = time.monotonic()
    asked(read_engine("service.toml"), *(f"film {number}" for number in range(9)))
    assert time.monotonic() - start >= 8 / 20


def test_faults_that_pass_are_asked_again(engine_file: Path, service: SearchService) -> None:
    def first_time(handler: Handler, query: str, tries: int) -> bool:
        if tries > 1:
            return False
        if "busy" in query:
            handler.answer(b"", 503, {"Retry-After": "0"})
        elif "broken" in query:
            handler.break_off()
        elif "slow" in query:
            handler.be_slow(1.5)
        else:
            handler.answer(b"<html>not json", 200)
        return True

    service.fault = first_time
    found = asked(read_engine("service.toml"), "film busy", "film broken", "film slow", "film html")
    assert all(len(ids) == 10 for ids in found.values())


@pytest.mark.parametrize(
    ("content", "status", "reason"),
    [
        ({"error": "no such index"}, 404, "HTTP status 404: no such index"),
        ({"error": {"type": "x", "reason": "too long"}, "status": 400}, 400, "HTTP status 400: too long"),
        (["too", "long"], 400, 'HTTP status 400: ["too", "long"]'),
        (b"", 302, "HTTP status 302, a redirect, which is not followed"),
        ({"hits": []}, 200, "no 'hits' in hits of the answer, which has 0 entries"),
        ({"hits": {"hits": 7, "total": {"value": 1}}}, 200, "hits.hits is not a list of documents"),
        ({"hits": {"hits": [{"_id": None, "_score": 1}], "total": {"value": 1}}}, 200, "_id of a document is None"),
        ({"hits": {"hits": [{"_id": "a", "_score": "x"}], "total": {"value": 1}}}, 200, "_score is 'x', not a number"),
        (b"[" * 100_000, 200, f"the answer is not JSON, and begins {'[' * 60!r} (3 tries)"),
        (b"", 200, "the answer is not JSON, it is empty"),
        ({"error": {"reason": "no such index"}}, 200, "the answer is an error: no such index"),
    ],
)
def test_faults_that_stay_are_told(
    engine_file: Path, service: SearchService, content: object, status: int, reason: str
) -> None:
    def fault(handler: Handler, *_: object) -> bool:
        handler.answer(content, status)
        return True

    service.fault = fault
    assert failure(read_engine("service.toml")).startswith(reason)


def test_a_service_that_is_not_there(engine_file: Path, service: SearchService) -> None:
    service.close()
    known = read_engine("service.toml")
    done = ask_topics(known, [EngineQuery(str(n), "film") for n in range(50)], 10)
    assert len(done.failed) == 50
    assert f"127.0.0.1, port {service.url.rpartition(':')[2]}: connection refused (3 tries)" in done.failed["0"]
    assert sum("not asked: the first" in reason for reason in done.failed.values()) >= 30


def test_topics_that_failed_are_never_empty(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(handler: Handler, query: str, tries: int) -> bool:
        if query == "metal":
            handler.answer({"error": "too long"}, 400)
        return query == "metal"

    service.fault = broken
    assert leadline(RUN) == 1
    error = capsys.readouterr().err.strip().splitlines()[-1]
    assert error == (
        "leadline: service.toml: 1 of 4 topics failed: 2: HTTP status 400: too long; "
        "out.run.failed.tsv lists them; mend the cause, then the same command asks only these again "
        "(all, where more of service.toml than its limits is changed)"
    )
    assert not Path("out.run").exists()
    assert Path("out.run.failed.tsv").read_text().startswith("topic\treason\n2\tHTTP status 400")
    service.fault = None
    before = dict(service.asked)
    assert leadline(RUN) == 0
    assert "continues after 3 finished topics" in capsys.readouterr().err
    assert dict(service.asked) == {**before, "metal": before["metal"] + 1}
    assert not Path("out.run.failed.tsv").exists()
    assert {line.split()[0] for line in Path("out.run").read_text().splitlines()} == {"1", "2", "4"}


def test_a_run_without_those_that_failed(engine_file: Path, service: SearchService) -> None:
    def broken(handler: Handler, query: str, tries: int) -> bool:
        if query == "metal":
            handler.answer({}, 400)
        return query == "metal"

    service.fault = broken
    assert leadline(RUN, "--partial") == 0
    assert {line.split()[0] for line in Path("out.run").read_text().splitlines()} == {"1", "4"}
    assert list(json.loads(Path("out.run.manifest.json").read_text())["failed"]) == ["2"]


def test_doubles_and_scores_out_of_order(
    engine_file: Path, service: SearchService, capsys: pytest.CaptureFixture[str]
) -> None:
    def odd(handler: Handler, *_: object) -> bool:
        hits = [{"_id": name, "_score": score} for name, score in [("b", 1.0), ("a", 5.0), ("b", 0.5), ("c d", 0.1)]]
        handler.answer({"hits": {"total": {"value": 4}, "hits": hits}})
        return True

    service.fault = odd
    assert leadline(RUN) == 0
    errors = capsys.readouterr().err
    assert "4 topics with documents that the service named twice: the first place counts" in errors
    assert "4 topics whose scores do not follow the order of the answer: the order counts" in errors
    assert [line.split()[2] for line in Path("out.run").read_text().splitlines()][:3] == ["b", "a", "c_d"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ('url = "http://x"', "has no `kind`"),
        ('kind = "htp"', "did you mean http?"),
        ('kind = "http"\nurl = "ftp://x/{query}"', "url must begin with http:// or https://"),
        ('kind = "http"\nurl = "http://x/"', "{query} must be in the url, the parameters or the body"),
        ('kind = "http"\nurl = "http://x/{query}"\nadress = 1', "did you mean"),
        ('kind = "http"\nurl = "http://x/{query}"\npage_size = 5', "page_size needs {offset} or {page}"),
        ('kind = "http"\nurl = "http://x/{query}"\n[limits]\nat_once = 0', "at_once must be between 1 and 256, got 0"),
        ('kind = "http"\nurl = "http://x/{query}"\n[limits]\nseconds = "a"', "seconds must be a number"),
        ('kind = "http"\nurl = "http://x/{query}"\nlimits = 5', "`limits` is not a table"),
        ('kind = "http"\nurl = "http://x/{query}"\n[query]\nsteps = ["texxt"]', "did you mean text?"),
        ('kind = "command"\ncommand = ["rm"]', "names a program to run (kind command): add --run-code"),
        ('kind = "sql"\ndatabase = "none.db"\nsql = "select :query, :k"', "none.db: no such file"),
        ('kind = "sql"\ndatabase = "x"\nsql = "select 1"', "the statement must use :query and :k"),
    ],
)
def test_wrong_files(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "e.toml"
    path.write_text(text)
    with pytest.raises(InputError) as told:
        read_engine(str(path))
    assert problem in str(told.value)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("run i topics.tsv --partial", "--partial: is only for --engine"),
        ("run i topics.tsv --run-code", "--run-code: is only for --engine"),
        (f"{RUN} --system best", "--system: cannot be combined with --engine"),
        (f"{RUN} --any-date", "--any-date: cannot be combined with --engine"),
        (f"{RUN} --patents p.xml", "--engine: give INDEX and TOPICS: patents need an index"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    engine_file: Path, words: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert leadline(words) == 2
    assert problem in capsys.readouterr().err
