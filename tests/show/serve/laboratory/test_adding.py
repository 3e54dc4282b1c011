"""Files of every kind are sent, looked at and added once the person says so; the command of what is begun is true."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from fastapi.testclient import TestClient
from tests.show.serve.laboratory.boards import HOSTILE, copied_lab

from leadline.commands.shared.forms import command_fields
from leadline.judge.journal import People
from leadline.show.check import check
from leadline.show.lab import offers
from leadline.show.lab.jobs import Jobs, work
from leadline.show.lab.kept_sources import keep_sources
from leadline.show.lab.kinds import KINDS, likely_kinds, recognised
from leadline.show.lab.lab import Lab
from leadline.show.lab.lab_store import SOURCES
from leadline.show.serve.laboratory.lab_app import lab_app
from leadline.show.serve.security import Address

RUN = "1 Q0 d1 1 9.5 a\n1 Q0 d2 2 8.5 a\n"
RIS = "".join(
    f"TY  - JOUR\nID  - {n}\nTI  - A nail {text}\nAB  - Of iron {text}.\nER  - \n\n"
    for n, text in enumerate(("one", "two", "three", "two"))
)
FILES = {  # what it is first, and what else it can be
    "a.run": (RUN, ["run"]),
    "a.csv": ("topic,document,score\n1,d1,0.5\n", ["run"]),
    "a.jsonl": ('{"topic":"1","document":"d1","score":0.5}\n', ["run"]),
    "a.qrels": ("1 0 d1 1\n1 0 d2 0\n", ["qrels"]),
    "test.tsv": ("query-id\tcorpus-id\tscore\n1\td1\t1\n", ["qrels", "run"]),
    "queries.jsonl": ('{"_id":"1","text":"heat"}\n', ["topics", "documents"]),
    "corpus.jsonl": ('{"_id":"d1","title":"A","text":"heat"}\n', ["documents", "topics"]),
    "topics.xml": ("<top>\n<num> 1\n<title> fine ink\n</top>\n", ["topics"]),
    "list.txt": ("1 fine ink\n2 dark oil\n", ["topics"]),
    "found.ris": (RIS, ["documents"]),
    "found.nbib": ("PMID- 100\nTI  - A nail\nAB  - Of iron.\n", ["documents"]),
    "groups.csv": ("group,document\n1,d1\n1,d2\n", ["duplicates"]),
    "page.html": ("<!doctype html><title>x</title><p>words</p>", ["report", "documents"]),
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_what_it_is_and_what_else_it_can_be(tmp_path: Path, name: str) -> None:
    content, kinds = FILES[name]
    (tmp_path / name).write_text(content)
    assert [reading.kind for reading in recognised(tmp_path / name).readings] == kinds


def test_parquet_is_known_by_its_columns_and_what_is_wrong_by_its_line(tmp_path: Path) -> None:
    pl.DataFrame({"topic": ["1"], "document": ["d1"], "score": [0.5]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"topic": ["1"], "document": ["d1"], "grade": [1]}).write_parquet(tmp_path / "q.parquet")
    assert likely_kinds(tmp_path / "a.parquet")[0] == "run"
    assert [each.kind for each in recognised(tmp_path / "q.parquet").readings] == ["qrels"]
    (tmp_path / "bad.run").write_text(RUN + "1 Q0 d3 3 high a\n")
    assert recognised(tmp_path / "bad.run").problem == "line 3: score 'high' is not a number"
    (tmp_path / "bytes").write_bytes(b"x\0y" * 100)
    assert "none of what Leadline reads" in recognised(tmp_path / "bytes").problem


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab.create(tmp_path / "lab", "New")


class Person:
    """Somebody who adds files to a lab."""

    def __init__(self, lab: Lab, role: str, people: Path) -> None:
        known = People(people)
        self.client: Any = TestClient(
            lab_app(lab, known, Address.of("127.0.0.1", 80), command_fields), base_url="http://127.0.0.1"
        )
        self.client.get(f"/in/{known.add('anna', role)}")  # type: ignore[arg-type]
        self.csrf = self.client.get("/api/csrf").json()["csrf"]

    def send(self, *files: tuple[str, bytes]) -> str:
        headers = {"X-CSRF-Token": self.csrf}
        offer = self.client.post("/api/offers", headers=headers).json()["id"]
        for name, content in files:
            sent = self.client.post(
                "/api/offers/file", params={"offer": offer, "name": name}, content=content, headers=headers
            )
            assert sent.status_code == 200, sent.text
        return str(offer)

    def offer(self, id: str) -> Any:
        return self.client.get(f"/api/add/{id}").json()

    def confirm(self, id: str, **chosen: str) -> Any:
        answer = self.client.post(f"/add/{id}", data={"csrf": self.csrf, "do": "add", **chosen})
        assert answer.status_code == 200, answer.text
        return self.offer(id)["outcomes"]

    def begin(self, **form: str) -> Any:
        return self.client.post("/jobs", data={"csrf": self.csrf, **form}, follow_redirects=False)


@pytest.fixture
def person(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Person]:
    monkeypatch.setattr(Jobs, "start_worker", lambda self: None)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return lambda role="organiser", of=lab: Person(of, role, tmp_path / f"people-{role}")


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def packed(files: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def test_nothing_is_stored_before_it_is_confirmed_and_one_refusal_stops_no_other(
    lab: Lab, person: Callable[..., Person]
) -> None:
    olga, before = person(), everything(lab.folder)
    beir = packed({"b/corpus.jsonl": FILES["corpus.jsonl"][0], "b/queries.jsonl": FILES["queries.jsonl"][0],
                   "b/qrels/test.tsv": FILES["test.tsv"][0]})  # fmt: skip
    id = olga.send(("a.run", RUN.encode()), ("bad.run", b"1 Q0 d1 1 x t\n"), ("beir.zip", beir), ("empty", b""),
                   (f"{HOSTILE}.run", RUN.replace("d2", "d3").encode()), ("again.run", RUN.encode()))  # fmt: skip
    offered = olga.offer(id)
    assert [each["file"] for each in offered["files"]][:3] == ["a.run", "b/corpus.jsonl", "b/queries.jsonl"]
    assert [(each["file"], each["problem"]) for each in offered["refused"]] == [
        ("bad.run", "line 1: score 'x' is not a number"),
        ("empty", "is empty"),
        ("again.run", "is the same file as a.run: taken once"),
    ]
    assert HOSTILE not in olga.client.get(f"/add/{id}").text
    assert everything(lab.folder) == before
    done = olga.confirm(id, **{"documents": "collection", "documents-name": "beir", "index": "yes", "kind-4": ""})
    assert [(each["kind"], each["made"]) for each in done if not each["job"]] == [
        ("run", "a"), ("topics", "queries"), ("qrels", "test")]  # fmt: skip
    assert [job.what for job in Jobs(lab).all()][::-1] == ["collection beir", "index beir"]
    again = olga.client.post(f"/add/{id}", data={"csrf": olga.csrf, "do": "add"})
    assert (again.status_code, len(Jobs(lab).all())) == (200, 2)  # sent twice, done once
    work(lab.folder)
    assert {(each.kind, each.name) for each in lab.entries()} >= {("collection", "beir"), ("index", "beir")}
    assert not list(check(lab.folder))


def test_duplicates_are_counted_and_a_review_is_begun(lab: Lab, person: Callable[..., Person]) -> None:
    olga = person()
    id = olga.send(("found.ris", RIS.encode()), ("more.ris", RIS[: RIS.index("ER")].encode() + b"ER  - \n"))
    offered = olga.offer(id)
    assert offered["as"] == "review"
    assert "4 documents; 1 listed again under an id that an earlier one has, left out; 1 with" in offered["counted"]
    refused = olga.confirm(olga.send(("found.ris", RIS.encode())), **{"documents": "review", "documents-name": "x",
                                                                       "option-target": "seven"})  # fmt: skip
    assert [each["refused"] for each in refused] == [True]
    id = olga.send(("found.ris", RIS.encode()))
    chosen = {"documents": "review", "documents-name": "nails", "title": "Nails", "option-target": "0.9"}
    assert "makes the review nails" in olga.confirm(id, **chosen)[0]["said"]
    work(lab.folder)
    (entry,) = lab.entries("review")
    project = KINDS["review"].check(entry.path)
    assert (len(project.units), project.settings.title, project.settings.target) == (3, "Nails", 0.9)
    page = olga.client.get(f"/job/{Jobs(lab).all()[0].id}").text
    assert "leadline review begin reviews/nails --documents sources/" in page
    assert not list(check(lab.folder))


def test_what_a_crash_leaves_is_no_job_and_goes_the_next_time(lab: Lab, tmp_path: Path) -> None:
    (tmp_path / "a.ris").write_text(RIS)

    def stopped(place: Path, sha256: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep_sources(lab, {"a.ris": tmp_path / "a.ris"}, stopped)
    assert not Jobs(lab).all()
    (tmp_path / "b.ris").write_text(RIS.replace("nail", "screw"))
    kept = keep_sources(lab, {"b.ris": tmp_path / "b.ris"}, lambda place, sha256: place)
    assert [path.name for path in (lab.folder / SOURCES).iterdir() if path.is_dir()] == [kept.name]
    (kept / "b.ris").write_text("TY  - JOUR\n")
    assert [each.path.endswith(kept.name) for each in check(lab.folder)] == [True]


def test_a_runner_adds_runs_alone_and_others_nothing(lab: Lab, person: Callable[..., Person]) -> None:
    runner = person("runner")
    id = runner.send(("a.qrels", b"1 0 d1 1\n"), ("a.run", RUN.encode()), ("found.ris", RIS.encode()))
    assert "which the organiser of the lab adds" in runner.client.get(f"/add/{id}").text
    done = runner.confirm(id, **{"kind-0": "qrels", "documents": "collection", "documents-name": "x"})
    assert [each["refused"] for each in done] == [True, False, True]
    assert [(each.kind, each.name, each.owner) for each in lab.entries()] == [("run", "a", "anna")]
    assert runner.begin(kind="campaign", name="x").status_code == 403
    reader = person("reader")
    assert reader.client.get("/add").status_code == 403
    assert reader.client.post("/api/offers", headers={"X-CSRF-Token": reader.csrf}).status_code == 403
    assert "drop.js" not in reader.client.get("/").text
    olga = person()
    assert olga.client.get(f"/add/{id}").status_code == 404


def test_what_unpacks_to_too_much_and_folders_of_ours_are_refused(
    person: Callable[..., Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "LARGEST_OFFER", 1 << 20)
    olga = person()
    bomb = packed({"a.run": RUN, "zeros.txt": "0" * (3 << 20)})
    ours = packed({"patents/leadline.jsonl": "{}", "patents/manifest.json": "{}"})
    offered = olga.offer(olga.send(("bomb.zip", bomb), ("ours.zip", ours)))
    assert not offered["files"]
    assert "holds more than" in offered["refused"][0]["problem"]
    assert "has a folder that Leadline made" in offered["refused"][1]["problem"]


def test_the_command_that_is_shown_makes_the_same_bytes(
    small_lab: Path, tmp_path: Path, person: Callable[..., Person]
) -> None:
    lab = Lab.open(copied_lab(small_lab, tmp_path / "copied"))
    olga = person(of=lab)
    wanted = [
        {"kind": "pool", "depth": "5", "name": "first", "option-seed": "1"},
        {"kind": "pool", "option-strata": "5:1,20:.5", "option-seed": "7", "name": "sampled"},
        {"kind": "run", "index": "words", "topics": "topics", "system": "baseline", "option-k": "20", "name": "mine"},
    ]
    for form in wanted:
        begun = olga.begin(**form)
        assert begun.status_code == 303, begun.text
        work(lab.folder)
        id = begun.headers["location"].rpartition("/")[2]
        job = Jobs(lab).get(id)
        assert job.state == "done", (job.problem, Jobs(lab).log(id))
        command = shlex.split(olga.client.get(f"/api/job/{id}").json()["command"])
        output = Path(job.output)
        made = output.read_bytes()
        command[command.index("-o") + 1] += ".again"
        subprocess.run([sys.executable, "-m", "leadline.cli", *command[1:]], cwd=lab.folder, check=True)
        assert output.with_name(f"{output.name}.again").read_bytes() == made
        for left in output.parent.glob("*.again*"):
            left.unlink()
    assert olga.begin(kind="pool", name="x", **{"option-strata": "--seed"}).status_code == 400
    assert (
        olga.begin(kind="run", index="words", topics="topics", system="baseline", **{"option-k": "0"}).status_code
        == 400
    )
