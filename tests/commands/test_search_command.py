"""The commands index, search and prior-art on a handful of patents made by hand."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.cli import main
from leadline.collections.documents.build import write_collection
from leadline.collections.documents.document import Claim, Document, Priority
from leadline.collections.documents.records import to_record
from leadline.collections.documents.store import Collection
from leadline.search.index.analysis import Analysis
from leadline.search.index.index import Index

FILM = "A film of a polymer in which silver particles are dispersed kills bacteria."


def patent(number: str, title: str, published: str, filed: str, **more: object) -> Document:
    return Document(number, office=number[:2], serial=number[2:9], kind=number[9:], title=title, publication=published,
                    application=filed, application_number=f"{number[:2]}{filed}", **more)  # fmt: skip


TOPIC = patent(
    "EP1000001B1", "Antibacterial polymer film", "2001-03-07", "1999-05-01",
    abstract=FILM, description="Bacteria grow on wrapping.\nSilver particles of 5 nm are dispersed in polyethylene.",
    claims=(
        Claim(1, "A polymer film comprising silver particles dispersed therein."),
        Claim(2, "The film of claim 1, the particles being coated with zeolite.", (1,)),
        Claim(3, "Use of the film of claim 1 for wrapping cheese in caves.", (1,)),
    ),
    ipc=("C08J5/18", "A01N59/16"), priorities=(Priority("DE19990501", "1999-05-01"),),
)  # fmt: skip
DOCUMENTS = [
    TOPIC,
    patent("US6000001B1", "Antibacterial polymer film", "1999-04-01", "1999-05-01", abstract=FILM,
           claims=(Claim(1, "A film."),), priorities=(Priority("DE19990501", "1999-05-01"),)),
    patent("EP0900001A1", "Silver in wrapping film", "1997-06-04", "1995-12-01", abstract="A wrapping film.",
           description="Wrapping keeps food.\nThe polymer film holds silver particles, dispersed evenly.",
           claims=(Claim(1, "A film with silver."),), ipc=("C08J5/18",), priorities=(Priority("GB1", "1995-12-01"),)),
    patent("WO9700001A1", "Silver in wrapping film", "1997-07-10", "1996-11-29", abstract="A wrapping film, silver.",
           claims=(Claim(1, "A film."),), ipc=("C08J5/18",), priorities=(Priority("GB1", "1995-12-01"),)),
    patent("US5000001A", "Zeolite particles", "1991-03-19", "1989-01-02", abstract="Particles coated with zeolite.",
           claims=(Claim(1, "Coated particles."),), cpc=("C01B39/00",)),
    patent("US6500001B2", "Film with silver particles", "2002-12-31", "2000-02-02", abstract=FILM,
           claims=(Claim(1, "A polymer film with silver particles dispersed therein."),)),
    patent("JP1990001A", "Nail", "1990-05-05", "1988-01-01", abstract="A bent nail of iron for water-in-oil pumps.",
           claims=(Claim(1, "A nail."),), ipc=("F16B15/00",)),
]  # fmt: skip


class Office:
    """The commands, over the collection."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.collection, self.index = str(folder / "collection"), str(folder / "index")

    def run(self, *words: str) -> tuple[str, str]:
        """What a command prints, and what it says beside it."""
        self._capsys.readouterr()
        main(words)
        return self._capsys.readouterr()

    def rows(self, *words: str) -> list[dict[str, object]]:
        return json.loads(self.run(*words, "-f", "json")[0])

    def refused(self, *words: str) -> str:
        """The one line with which a command refuses its input."""
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main(words)
        assert stopped.value.code == 1
        out, err = self._capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert err.startswith("leadline: ")
        return err.removeprefix("leadline: ").strip()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("office")
    write_collection(DOCUMENTS, folder / "collection", {"made": "by hand"})
    source: object = Collection.open(folder / "collection")
    Index.build(source, folder / "index", positions=True, origin=str(folder / "collection"))
    return folder


@pytest.fixture
def office(made: Path, capsys: pytest.CaptureFixture[str]) -> Office:
    return Office(made, capsys)


# index


def test_index_says_what_it_made(office: Office, tmp_path: Path) -> None:
    options = ["--fields", "title,abstract", "--stem", "none"]
    out, err = office.run("index", office.collection, "-o", str(tmp_path / "i"), *options)
    assert re.fullmatch(r"7 documents, [0-9]+ words in 2 fields, [0-9.]+ MB, in [0-9.]+ s\n", out)
    assert err == "  without positions: --positions keeps them, for phrases and NEAR\n"
    index = Index.open(tmp_path / "i")
    assert index.analysis == Analysis(stemming="none")
    assert index.manifest["source"] == str(Path(office.collection).resolve())
    assert index.fields == ["title", "abstract"]


def test_index_adds_what_the_collection_gained(office: Office, tmp_path: Path) -> None:
    collection, index = str(tmp_path / "c"), str(tmp_path / "i")
    write_collection(DOCUMENTS[:4], collection, {"made": "first"})
    office.run("index", collection, "-o", index, "-q")
    assert office.run("index", collection, "-o", index, "--add", "-q")[0].startswith("0 added, 4 documents")
    write_collection(DOCUMENTS, collection, {"made": "then"})
    assert office.run("index", collection, "-o", index, "--add", "-q")[0].startswith("3 added, 7 documents")
    assert [row["document"] for row in office.rows("search", index, "nail")] == ["JP1990001A"]
    write_collection(DOCUMENTS[2:], collection, {"made": "last"})
    assert office.refused("index", collection, "-o", index, "--add") == (
        f"{index}: EP1000001B1 is no longer in {collection}: build the index anew"
    )


def test_index_refuses_in_one_line(office: Office, tmp_path: Path) -> None:
    new = str(tmp_path / "new")
    assert office.refused("index", office.collection, "-o", new, "--fields", "titel").endswith("did you mean title?")
    assert "holds something else" in office.refused("index", office.collection, "-o", office.collection)
    assert office.refused("index", new, "-o", new).endswith("is no collection; `leadline collection build` makes one")
    assert "go with --language de" in office.refused("index", office.collection, "-o", new, "--stop", "german")
    assert "--stem" in office.refused("index", office.collection, "-o", office.index, "--add", "--stem", "none")
    other = tmp_path / "other"
    write_collection(DOCUMENTS[:2], other, {"made": "elsewhere"})
    assert "was made from" in office.refused("index", str(other), "-o", office.index, "--add")


def test_a_damaged_index_is_one_line(office: Office, tmp_path: Path) -> None:
    index = tmp_path / "i"
    office.run("index", office.collection, "-o", str(index), "-q")
    manifest = json.loads((index / "manifest.json").read_text())
    (index / "manifest.json").write_text(json.dumps(manifest | {"version": 99}))
    assert "is of version 99" in office.refused("search", str(index), "film")
    (index / "manifest.json").write_text(json.dumps(manifest))
    segment = next(index.glob("segment-*"))
    segment.write_bytes(segment.read_bytes()[:-100])
    assert office.refused("search", str(index), "film").endswith("is cut short or damaged: build the index anew")
    assert "is no index" in office.refused("search", str(tmp_path / "nothing"), "film")


# search


def test_search_shows_one_hit_a_family(office: Office) -> None:
    out, err = office.run("search", office.index, "silver AND wrapping")
    assert err == ""
    lines = out.splitlines()
    assert lines[0].split() == ["silver", "AND", "wrapping", "3", "documents"]
    assert [line.split()[0] for line in lines[3:] if re.match(r" {3}[0-9]", line)] == ["1", "2"]
    assert "      WO9700001A1 · 1997-07-10 · C08J5/18 · 2 in the family" in lines
    assert "\033" not in out
    rows = office.rows("search", office.index, "silver AND wrapping", "--why")
    assert [row["members"] for row in rows] == [2, 2]
    for row in rows:
        assert sum(share["score"] for share in row["why"]) == pytest.approx(row["score"])


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["film"], {"EP1000001B1", "EP0900001A1", "US6500001B2"}),
        (["film", "--before", "1998"], {"EP0900001A1"}),
        (["film", "--after", "2002"], {"US6500001B2"}),
        (["film", "--class", "A01N"], {"EP1000001B1"}),
        (["film", "--office", "us"], {"US6000001B1", "US6500001B2"}),
        (["particles", "coated", "--class", "C01B39"], {"US5000001A"}),
        (['"water in oil"'], {"JP1990001A"}),
        (["oil NEAR/2 water"], {"JP1990001A"}),
        (["title:nai*"], {"JP1990001A"}),
        (["film -polymer", "--fields", "title=2,abstract"], {"EP0900001A1"}),
        (["film", "--model", "dirichlet(mu=100)", "-k", "1"], None),
    ],
)
def test_options_of_search(office: Office, options: list[str], expected: set[str] | None) -> None:
    found = {row["document"] for row in office.rows("search", office.index, *options)}
    if expected is None:
        assert len(found) == 1
    else:
        best = {"WO9700001A1": "EP0900001A1", "US6000001B1": "EP1000001B1"} if "--office" not in options else {}
        assert {best.get(name, name) for name in found} == expected


def test_newest_first(office: Office) -> None:
    days = [row["published"] for row in office.rows("search", office.index, "film", "--newest")]
    assert days == sorted(days, reverse=True) == ["2002-12-31", "2001-03-07", "1997-07-10"]
    assert "the newest first" in office.run("search", office.index, "film sort:newest")[0]


def test_snippets_show_the_words_sought(office: Office) -> None:
    row, *_ = office.rows("search", office.index, "dispersed evenly")
    assert row["snippet"] == "The polymer film holds silver particles, dispersed evenly."


def test_search_refuses_in_one_line(office: Office) -> None:
    search = ["search", office.index]
    assert office.refused(*search, "") == "query: is empty"
    assert office.refused(*search, "the ???") == "query: 'the ???' has no word to search for"
    assert office.refused(*search, "film", "--model", "bm26").endswith("did you mean bm25?")
    assert "has no parameter 'k2'" in office.refused(*search, "film", "--model", "bm25(k2=1)")
    assert office.refused(*search, "film", "--class", "chemistry").startswith("--class: 'chemistry' is none")
    assert office.refused(*search, "film", "--before", "then").startswith("--before: 'then' is no date")
    assert office.refused(*search, "film", "--fields", "titel").endswith("did you mean title?")
    assert office.refused(*search, "film", "-k", "0").startswith("-k: 0 is no number")
    assert office.refused(*search, "film", "-f", "jsn").endswith("did you mean json?")


def test_odd_queries_are_answered_with_a_note(office: Office) -> None:
    out, err = office.run("search", office.index, "tittle:film AND (")
    assert "film" in out
    assert "there is no field tittle; did you mean title:?" in err
    out, err = office.run("search", office.index, "marshmallow")
    assert out.endswith("nothing found\n")


def test_search_without_the_collection(office: Office, tmp_path: Path) -> None:
    source: object = DOCUMENTS
    index = Index.build(source, tmp_path / "alone")
    out, err = office.run("search", str(index.folder), "film", "-k", "1")
    assert "undated" not in out
    assert "no titles and texts are shown" in err


# prior-art


def test_prior_art_hides_the_family_and_what_came_later(office: Office) -> None:
    page = office.rows("prior-art", office.index, "EP", "1", "000", "001", "B1")
    assert isinstance(page, dict)
    assert page["topic"]["document"] == "EP1000001B1"
    names = [hit["document"] for hit in page["hits"]]
    assert set(names) <= {"EP0900001A1", "WO9700001A1", "US5000001A", "JP1990001A"}
    assert len({"EP0900001A1", "WO9700001A1"} & set(names)) == 1
    assert page["hidden"] == {"itself": 1, "own family": 1, "later": 1}
    _, err = office.run("prior-art", office.index, "EP1000001B1")
    assert err == "  hidden: the patent itself, 1 of its own family, 1 published after 1999-05-01\n"


def test_claims_point_to_the_passages_that_bear_on_them(office: Office) -> None:
    page = office.rows("prior-art", office.index, "EP1000001")
    first, second, _ = page["claims"]
    assert (first["hits"][0]["document"], first["hits"][0]["where"]) == ("EP0900001A1", "¶ 2")
    assert (second["hits"][0]["document"], second["hits"][0]["where"]) == ("US5000001A", "abstract")
    assert all(hit["share"] >= 0.25 for claim in page["claims"] for hit in claim["hits"])
    assert all(hit["document"] != "JP1990001A" for claim in page["claims"] for hit in claim["hits"])
    out, _ = office.run("prior-art", office.index, "EP1000001")
    assert "Antibacterial polymer film" in out.splitlines()[0]
    assert "No hit shown bears on claim 3." in out
    assert "families bear on" in out


def test_a_system_by_name_or_file(office: Office, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('steps = [{step = "dates", by = "none"}, {step = "text", fields = ["title"]}, "search"]')
    for name in ("baseline", str(file)):
        page = office.rows("prior-art", office.index, "EP1000001", "--system", name)
        assert {"US6500001B2", "US6000001B1", "EP1000001B1"}.isdisjoint(hit["document"] for hit in page["hits"])
    assert "baselin" in office.refused("prior-art", office.index, "EP1000001", "--system", "baselin")


def test_files_of_every_kind(office: Office, tmp_path: Path) -> None:
    text = tmp_path / "idea.txt"
    claims = "1. A polymer film with dispersed silver particles.\n2. The film of claim 1, bent."
    text.write_text(f"Film\n\nA film.\n\nClaims\n{claims}\n")
    page = office.rows("prior-art", office.index, str(text))
    assert [claim["claim"] for claim in page["claims"]] == [1, 2]
    assert page["hidden"] == {"itself": 0, "own family": 0, "later": 0}
    assert "without any date" in office.run("prior-art", office.index, str(text))[1]
    dated = office.rows("prior-art", office.index, str(text), "--date", "1996")
    assert [hit["document"] for hit in dated["hits"]] == ["US5000001A"]
    record = tmp_path / "topic.json"
    record.write_text(json.dumps(to_record(TOPIC)))
    assert office.rows("prior-art", office.index, str(record))["hidden"] == {"itself": 1, "own family": 1, "later": 1}
    both = tmp_path / "two.jsonl"
    both.write_text("\n".join(json.dumps(to_record(document)) for document in DOCUMENTS[:2]))
    assert "holds 2 patents" in office.refused("prior-art", office.index, str(both))
    xml = tmp_path / "topic.xml"
    xml.write_text("<html><body>no patent</body></html>")
    assert "no document" in office.refused("prior-art", office.index, str(xml))


def test_prior_art_refuses_in_one_line(office: Office, tmp_path: Path) -> None:
    assert office.refused("prior-art", office.index, "EP9999999B1") == (
        f"EP9999999B1: is neither a patent of {office.collection} nor a file"
    )
    assert "goes with a file" in office.refused("prior-art", office.index, "EP1000001", "--date", "1999")
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    assert "empty.txt" in office.refused("prior-art", office.index, str(empty))


# The page on a terminal

RUN = "import sys; from leadline.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("command", ["search", "prior-art"])
def test_pages_fit_a_terminal(office: Office, command: str, width: int) -> None:
    asked = ["film silver", "--why"] if command == "search" else ["EP1000001B1"]
    leader, follower = pty.openpty()
    environment = os.environ | {"COLUMNS": str(width), "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    words = [sys.executable, "-c", RUN, command, office.index, *asked]
    process = subprocess.Popen(words, stdout=follower, stderr=subprocess.PIPE, env=environment)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # the other end has closed
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0, process.stderr.read() if process.stderr else ""
    page = shown.decode().replace("\r\n", "\n")
    plain = re.sub(r"\033\[[0-9;]*m", "", page)
    assert max(map(len, plain.splitlines())) == width  # the hairline
    assert "\033[1m" in page
    assert re.search(r"\033\[1m(silver|dispersed|zeolite)\033\[0m", page)
