"""Where the tests find their data: golden files beside them, and a folder of other people's data that may be absent."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import shlex
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

os.environ.setdefault("LEADLINE_VECTORS", "none")  # no test makes vectors that it does not ask for
SOAK = bool(os.environ.get("LEADLINE_SOAK"))


def examples(number: int) -> int:
    """How many examples a property test makes: this many in `make soak`, two in five of them in `make test`."""
    return number if SOAK else max(10, number * 2 // 5)


# Machines that run tests are busy with other things: no deadlines. A suite that decides whether a change may land makes
# the same cases each time; new cases are looked for on developers' machines.
settings.register_profile("leadline", deadline=None, max_examples=examples(100), derandomize=bool(os.environ.get("CI")))
settings.load_profile("leadline")

SERVICE = """
kind = "sql"
database = "patents.db"
sql = "SELECT 'EP' || :k WHERE :query <> ''"
"""
GOLDEN = Path(__file__).parent / "golden"
SHARED = Path(os.environ.get("LEADLINE_SHARED", Path(__file__).parents[2] / "shared"))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Every property test has a longer form: more examples."""
    if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        item.add_marker("soak")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: garbage is looked for among newer objects only."""
    gc.freeze()


@pytest.fixture(autouse=True)
def only_our_measures() -> Iterator[None]:
    """Forget the measures that a test adds: others go through all there are."""
    from leadline.measures.definition import MEASURES

    before = set(MEASURES._members)
    yield
    for name in set(MEASURES._members) - before:
        if not MEASURES._homes[name].startswith("leadline."):
            del MEASURES._members[name], MEASURES._homes[name]
            MEASURES._names = {each: known for each, known in MEASURES._names.items() if known != name}


@pytest.fixture(scope="session")
def golden() -> Path:
    return GOLDEN


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder `data` of the shared material; tests that need it are skipped where it is missing."""
    data = SHARED / "data"
    if not data.is_dir():
        pytest.skip(f"needs the shared data at {data}")
    return data


@pytest.fixture(scope="session")
def soak() -> bool:
    """Whether the longer form of a test is wanted, as `make soak` does."""
    return SOAK


@pytest.fixture(scope="session")
def ranx_environment(soak: bool) -> dict[str, str]:
    """The environment of a process that uses ranx, which compiles for half a minute unless it is interpreted."""
    if importlib.util.find_spec("ranx") is None:
        pytest.skip("needs the package ranx")
    return dict(os.environ) if soak else {**os.environ, "NUMBA_DISABLE_JIT": "1"}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser, closed with its module: Playwright does not start twice in a process, and its loop stops others."""
    api = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("needs the browser chromium: make services")
    with api.sync_playwright() as play:
        opened = play.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def eventually() -> Callable[[Any, Callable[[], object]], None]:
    """Wait until something is true of a page, which draws when the machine has time."""

    def wait(page: Any, is_true: Callable[[], object]) -> None:
        end = time.monotonic() + 60
        while not is_true():
            assert time.monotonic() < end, "it never became true"
            page.wait_for_timeout(20)

    return wait


@pytest.fixture
def one_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports have one figure: drawing all takes five seconds, and not all tests of reports are about figures."""
    from leadline.show.report.drawing import FIGURES

    monkeypatch.setattr("leadline.show.report.page.in_order", lambda: [FIGURES.named("triangle")])


MESH = """<?xml version="1.0"?><DescriptorRecordSet LanguageCode="eng"><DescriptorRecord DescriptorClass="1">
<DescriptorUI>D006973</DescriptorUI><DescriptorName><String>Hypertension</String></DescriptorName>
<TreeNumberList><TreeNumber>C14.907.489</TreeNumber></TreeNumberList><ConceptList><Concept><TermList>
<Term><String>High Blood Pressure</String></Term></TermList></Concept></ConceptList></DescriptorRecord>
</DescriptorRecordSet>"""
CPC = """<?xml version="1.0"?><class-scheme scheme-type="cpc"><classification-item level="7" sort-key="C08L67/00">
<classification-symbol>C08L67/00</classification-symbol><classification-item level="8" sort-key="C08L67/02">
<classification-symbol>C08L67/02</classification-symbol></classification-item></classification-item></class-scheme>"""
GRID = """
[choices.query]
whole = "text"
[choices.model]
bm25 = {step = "search", model = "bm25"}
dph = {step = "search", model = "dph"}
"""


def rejection(patents: Path, topics: Path, qrels: Path) -> dict[str, str]:
    """A record of an office action on an American topic, whose first claims were rejected over a document it cites."""
    from leadline.collections.documents.collection import Collection
    from leadline.records.qrels import read_qrels

    judged = read_qrels(qrels)
    topic = next(line for line in topics.read_text(encoding="utf-8").split() if line.startswith("US"))
    patent = Collection.open(patents).document(topic)
    return {
        "patentApplicationNumber": patent.application_number.removeprefix("US"),
        "citedDocumentIdentifier": min(judged.judgements(topic)),
        "relatedClaimNumberText": "1-2",
        "citationCategoryCode": "X",
    }


def make_campaign() -> None:
    """The campaign of the examples, with a run of one team, and another one to be sent."""
    from leadline.cli import main

    ids = (line.split()[2] for run in Path("runs").glob("*.run") for line in run.read_text().splitlines())
    Path("ids.txt").write_text("".join(f"{name}\n" for name in dict.fromkeys(ids)))
    said = 'kind = "automatic"\nfields = ["title"]\nresources = "none"\ntext = "Words of the title, by BM25."\n'
    Path("dutir1.toml").write_text(f"{said}priority = 2\n")
    Path("dutir1.run").write_text(Path("runs/bm25.run").read_text().replace(" bm25\n", " dutir1\n"))
    shutil.copy("qrels.txt", "judged.txt")
    main(shlex.split("campaign new chem2027 --collection patents --task pa --kind prior-art --topics topics.tsv -q"))
    main(shlex.split("campaign task chem2027 ts --kind survey --topics topics.tsv --strata 3:1 -q"))
    main(shlex.split("campaign invite chem2027 dutir -q -o links.txt"))
    main(shlex.split("campaign invite chem2027 anna ben --role student -q -o links.txt"))
    sent = "--describe dutir1.toml --priority 1 -q"
    main(shlex.split(f"campaign submit chem2027 runs/dph.run --team dutir --task ts {sent}"))


@pytest.fixture(scope="session")
def example_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the examples name, made from a small simulated office."""
    from leadline.cli import main
    from leadline.judge.review.exchange import begin_review
    from leadline.judge.review.project import ReviewSettings

    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("examples")
        patch.chdir(folder)
        main(shlex.split("simulate office -o office --patents 300 -q"))
        shutil.move("office/collection", "patents")
        shutil.copy("office/topics.tsv", "topics.tsv")
        for name in ("qrels.citations.txt", "qrels.citations.txt.why.tsv"):
            shutil.copy(f"office/{name}", name.replace(".citations", ""))
        shutil.copy("office/qrels.true.claims.txt", "claims.qrels")
        main(shlex.split("index patents -o patents.index --positions -q"))
        Path("coatings.txt").write_text("1. coating$.ti,ab.\n2. (coating$ adj5 film$).ti,ab.\n3. or/1-2\n")
        Path("strategies").mkdir()
        shutil.copy("coatings.txt", "strategies/coatings.txt")
        main(shlex.split("strategy run patents.index coatings.txt -o coatings.ids -q --format tsv"))
        relevant = Path("coatings.ids").read_text().splitlines()[:3]
        Path("coatings.qrels").write_text("".join(f"coatings 0 {name} 1\n" for name in relevant))
        Path("runs").mkdir()
        Path("mine.toml").write_text('steps = ["text", {step = "search", model = "dph"}]')
        Path("short.toml").write_text('steps = [{step = "text", fields = ["title"]}, "search"]')
        Path("grid.toml").write_text(GRID)
        with contextlib.closing(sqlite3.connect("patents.db")) as database:
            database.execute("CREATE TABLE patents (id TEXT)")
        Path("service.toml").write_text(SERVICE)
        for name, system in (("bm25", "baseline"), ("dph", "mine.toml"), ("title", "short.toml")):
            main(shlex.split(f"run patents.index topics.tsv --system {system} -k 50 -o runs/{name}.run -q"))
        Path("review.csv").write_text(
            "record_id,title,abstract,included,label_abstract_screening\n1,Nails,On nails.,1,1\n2,Wood,On wood.,0,1\n"
        )
        main(shlex.split("collection build review.csv -o articles --keep all -q"))
        main(shlex.split("qrels labels review.csv -o labels.qrels -q"))
        main(shlex.split("collection build review.csv -o records --keep all -q"))
        main(shlex.split("index records -o records.index -q"))
        Path("desc2026.xml").write_text(MESH)
        with zipfile.ZipFile("cpc-schemes.zip", "w") as packed:
            packed.writestr("cpc-scheme-C08L.xml", CPC)
        Path("forest.csv").write_text("id,probability\n1,0.9\n2,0.1\n")
        Path("reading.csv").write_text("document,relevant,drawn\n1,1,0\n2,0,1\n")
        begin_review("asthma", ["review.csv"], ReviewSettings("Asthma"), labels=True)
        shutil.copy("runs/title.run", "late.run")
        main(shlex.split("pool runs/bm25.run runs/dph.run -o pool.txt --depth 5 -q"))
        rows = [line.split() for line in Path("pool.txt").read_text().splitlines() if line.endswith(" -2")]
        for person in ("anna", "ben"):
            marks = [f"{topic} 0 {name} {(len(person) + at) % 2}\n" for at, (topic, _, name, *_) in enumerate(rows)]
            Path(f"{person}.tsv").write_text("".join(marks))
            main(shlex.split(f"judge import pool.txt {person}.tsv --person {person}"))
        main(shlex.split("judge people pool.txt add anna -q"))
        main(shlex.split("pool runs/bm25.run runs/dph.run -o rounds.txt --rounds 3,6,12 -q"))
        wanted = [line.split() for line in Path("rounds.txt").read_text().splitlines() if line.split()[3] == "-2"]
        Path("rounds.tsv").write_text("".join(f"{line[0]} 0 {line[2]} {at % 2}\n" for at, line in enumerate(wanted)))
        main(shlex.split("judge import rounds.txt rounds.tsv --person anna"))
        shutil.copy("anna.tsv", "expert.tsv")
        Path("laptop").mkdir()
        shutil.copy("pool.txt.journal", "laptop/pool.txt.journal")
        Path("edges.tsv").write_text("A\tB\nB\tC\nC\tA\nC\tB\nD\tC\n")
        Path("runs.csv").write_text("run,team\nbm25,one\ndph,one\ntitle,two\n")
        Path("topics.csv").write_text(Path("topics.tsv").read_text().replace(",", ";").replace("\t", ","))
        Path("idea.txt").write_text("Coating\n\nA coating.\n\nClaims\n1. A coating comprising a glaze.\n")
        main(shlex.split("evaluate qrels.txt runs/*.run -m 'AP R@100' --by-topic --format tsv -o scores.tsv -q"))
        shutil.copytree(
            GOLDEN / "documents", "xml", ignore=lambda _, names: [name for name in names if not name.endswith(".xml")]
        )
        Path("documents.jsonl").write_text('{"id": "US7000000B2", "title": "Nail"}\n')
        Path("actions.json").write_text(json.dumps([rejection(Path("patents"), Path("topics.tsv"), Path("qrels.txt"))]))
        make_campaign()
        Path("lab").mkdir()
        shutil.copytree("runs", "lab/runs")
        shutil.copy("qrels.txt", "lab/qrels.txt")
    return folder


@pytest.fixture(scope="session")
def begin_case() -> Callable[..., None]:
    """What makes, of the example files, the lab that examples and the page of cases name."""
    from leadline.cli import main
    from leadline.show.lab.case import Cases
    from leadline.show.lab.case_search import add_query
    from leadline.show.lab.lab import Lab
    from leadline.show.lab.opened import OpenedLab

    def begin(*, has_case: bool) -> None:
        """The lab of the examples with an index, a run of a present system, and a case that somebody worked on."""
        main(shlex.split("lab init brakes -q"))
        main(shlex.split("lab add brakes patents -q"))
        main(shlex.split("lab add brakes patents.index --name words -q"))
        (found,) = [line.split() for line in Path("coatings.qrels").read_text().splitlines()][:1]
        Path("present.run").write_text(f"films Q0 {found[2]} 1 1 present\n")
        main(shlex.split("lab add brakes present.run -q"))
        if has_case:
            lab = Lab.open("brakes")
            case = Cases(lab).begin("anna", "organiser", index="words", question="films on metal", name="films")
            add_query(OpenedLab(lab), case, "anna", "organiser", "film metal")
            case.do("anna", "organiser", "grade", document=found[2], grade="X")

    return begin
