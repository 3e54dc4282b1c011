"""Schemes of classes and thesauri: their files, how an index keeps them, and what is under a class."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import leadline as ll
from leadline.errors import InputError
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.index.manifest import check_index, files_of
from leadline.retrieval.index.tree_files import read_tree
from leadline.retrieval.index.trees import Entry, HeadingNames, Tree, class_order
from leadline.text.checksums import sealed

CPC_FILE = Path(__file__).parents[3].parent / "shared/data/patents/uspto_forms/cpcScheme/cpc-scheme-A01L.xml"

IPC = """<?xml version="1.0" encoding="UTF-8"?>
<IPCScheme xmlns="http://www.wipo.int/classifications/ipc/masterfiles" edition="20260101" lang="EN">
 <ipcEntry kind="s" symbol="C"><ipcEntry kind="t" symbol="C01"/><ipcEntry kind="c" symbol="C08">
  <ipcEntry kind="u" symbol="C08L"><ipcEntry kind="n" symbol="C08L"/><ipcEntry kind="g" symbol="C08L0067000000"/>
   <ipcEntry kind="m" symbol="C08L0067000000"><textBody><title/></textBody>
    <ipcEntry kind="1" symbol="C08L0067020000">
     <ipcEntry kind="2" symbol="C08L0067030000"><ipcEntry kind="3" symbol="C08L0067035000"/></ipcEntry>
    </ipcEntry>
    <ipcEntry kind="1" symbol="C08L0067025000"/>
    <ipcEntry kind="1" symbol="C08L0067040000"/>
   </ipcEntry>
   <ipcEntry kind="m" symbol="C08L0069000000"/>
  </ipcEntry></ipcEntry></ipcEntry>
</IPCScheme>"""


def _item(level: int, symbol: str, inside: str = "") -> str:
    return (
        f'<classification-item level="{level}" sort-key="{symbol}"><classification-symbol>{symbol}'
        f"</classification-symbol><class-title/>{inside}</classification-item>"
    )


THREE = _item(9, "C08L67/03", _item(10, "C08L67/035"))
GROUPS = _item(7, "C08L67/00", _item(8, "C08L67/02", THREE) + _item(8, "C08L67/025") + _item(8, "C08L67/04"))
CPC = f"""<?xml version="1.0" encoding="UTF-8"?><class-scheme scheme-type="cpc">
{_item(5, "C08L", _item(6, "C08L67/00", GROUPS + _item(7, "C08L69/00")))}</class-scheme>"""

MESH_LINES = """*NEWRECORD
RECTYPE = D
MH = Vascular Diseases
ENTRY = Diseases, Vascular|T047|NON|EQV|NLM (1995)|abcdef
MN = C14.907
UI = D014652

*NEWRECORD
RECTYPE = D
MH = Hypertension
PRINT ENTRY = Blood Pressure, High|T047|NON|EQV|UNK (19XX)|780524|abbcdef
ENTRY = High Blood Pressure|T047
MN = C14.907.489
UI = D006973

*NEWRECORD
RECTYPE = D
MH = Eye Diseases
MN = C11
UI = D005128

*NEWRECORD
RECTYPE = D
MH = Hypertensive Retinopathy
MN = C11.768.400
MN = C14.907.489.815
UI = D058437
"""


def _record(ui: str, name: str, positions: list[str], terms: list[str]) -> str:
    numbers = "".join(f"<TreeNumber>{each}</TreeNumber>" for each in positions)
    strings = "".join(f"<Term><String>{each}</String></Term>" for each in (name, *terms))
    return (
        f"<DescriptorRecord><DescriptorUI>{ui}</DescriptorUI><DescriptorName><String>{name}</String></DescriptorName>"
        "<AllowableQualifiersList><AllowableQualifier><QualifierReferredTo><QualifierName><String>drug therapy</String>"
        "</QualifierName></QualifierReferredTo></AllowableQualifier></AllowableQualifiersList>"
        f"<TreeNumberList>{numbers}</TreeNumberList>"
        f"<ConceptList><Concept><TermList>{strings}</TermList></Concept></ConceptList></DescriptorRecord>"
    )


MESH_XML = (
    '<?xml version="1.0"?><!DOCTYPE DescriptorRecordSet SYSTEM "https://nowhere.invalid/desc.dtd">'
    '<DescriptorRecordSet LanguageCode="eng">'
    + _record("D014652", "Vascular Diseases", ["C14.907"], ["Diseases, Vascular"])
    + _record("D006973", "Hypertension", ["C14.907.489"], ["Blood Pressure, High", "High Blood Pressure"])
    + _record("D005128", "Eye Diseases", ["C11"], [])
    + _record("D058437", "Hypertensive Retinopathy", ["C11.768.400", "C14.907.489.815"], [])
    + "</DescriptorRecordSet>"
)

TURTLE = r"""@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
PREFIX ex: <http://example.org/>
@base <http://example.org/> .
# a comment
ex:all a skos:ConceptScheme ; skos:prefLabel "Everything" .
ex:1 a skos:Concept ; skos:prefLabel "Gefäßkrankheiten"@de , "Vascular Diseases"@en ; skos:notation "C14" .
<2> a skos:Concept ; skos:prefLabel "Hypertension"@en ; skos:altLabel "Blood Pressure, High"@en ,
    '''High Blood
Pressure'''@en ; skos:broader ex:1 ; ex:note [ ex:by "someone" ; ex:at (1 2.5 -3) ] , true .
ex:1 skos:narrower ex:3 . ex:3 skos:prefLabel "Aneurysm\u0041"@en .
"""

RDF = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">
 <skos:ConceptScheme rdf:about="all"><skos:prefLabel>Everything</skos:prefLabel></skos:ConceptScheme>
 <skos:Concept rdf:about="1"><skos:prefLabel xml:lang="de">Gefäßkrankheiten</skos:prefLabel>
  <skos:prefLabel xml:lang="en">Vascular Diseases</skos:prefLabel><skos:notation>C14</skos:notation>
  <skos:narrower><skos:Concept rdf:about="3"><skos:prefLabel xml:lang="en">AneurysmA</skos:prefLabel></skos:Concept>
  </skos:narrower></skos:Concept>
 <rdf:Description rdf:about="2"><rdf:type rdf:resource="http://www.w3.org/2004/02/skos/core#Concept"/>
  <skos:prefLabel xml:lang="en">Hypertension</skos:prefLabel><skos:altLabel>Blood Pressure, High</skos:altLabel>
  <skos:altLabel>High Blood Pressure</skos:altLabel><skos:broader rdf:resource="1"/></rdf:Description>
</rdf:RDF>"""


def _written(folder: Path, content: str, name: str = "file") -> Path:
    path = folder / name
    path.write_text(content, newline="")
    return path


@pytest.mark.parametrize("content", [IPC, CPC])
def test_groups_are_under_others_by_their_dots(tmp_path: Path, content: str) -> None:
    scheme = read_tree(_written(tmp_path, content), "scheme")
    assert scheme.labels_under("C08L67/02") == ["C08L67/02", "C08L67/03", "C08L67/035"]
    assert scheme.labels_under("C08L67/025") == ["C08L67/025"]  # after 67/02, with as many dots
    assert set(scheme.labels_under("C08L67/00")) == {"C08L67/00", *scheme.labels_under("C08L67/02")} | {
        "C08L67/025",
        "C08L67/04",
    }
    assert scheme.labels_under("C08L")[-1:] == ["C08L67/035"]
    assert "C08L69/00" in scheme.labels_under("C08L")


@pytest.mark.skipif(not CPC_FILE.exists(), reason="the CPC's own file is not here")
def test_the_cpc_as_it_is_published() -> None:
    scheme = read_tree(CPC_FILE, "scheme")
    assert scheme.labels_under("A01L1/00") == ["A01L1/00", "A01L1/02", "A01L1/04"]  # not the groups of its guide
    assert scheme.labels_under("A01L7/00") == ["A01L7/00", *(f"A01L7/{n:02}" for n in (2, 4, 6, 8, 10))]
    assert len(scheme.labels_under("A01L")) == len(scheme) == 19


@pytest.mark.parametrize("content", [MESH_LINES, MESH_XML, MESH_LINES.replace("\n", "\r")])
def test_mesh(tmp_path: Path, content: str) -> None:
    mesh = read_tree(_written(tmp_path, content), "thesaurus")
    names = ("Hypertension", "Blood Pressure, High", "High Blood Pressure")
    for asked in ("hypertension", "HIGH  blood pressure", "D006973", "c14.907.489"):
        assert mesh.heading(asked) == HeadingNames("Hypertension", names), asked
    assert mesh.labels_under("Vascular Diseases") == ["Vascular Diseases", "Hypertension", "Hypertensive Retinopathy"]
    # C11.768 is not in the file: what is under it is under C11.
    assert mesh.labels_under("Eye Diseases") == ["Eye Diseases", "Hypertensive Retinopathy"]
    assert mesh.heading("drug therapy") is None
    assert "did you mean hypertension?" in mesh.nearest("hypertention")


def test_what_is_under_a_heading_is_told_by_its_place() -> None:
    tree = Tree.of([Entry("a", "A", positions=["A"]), Entry("x", "X", positions=["A.1", "B.1"]),
                    Entry("y", "Y", positions=["B.1.2"])])  # fmt: skip
    assert tree.labels_under("A") == ["A", "X"]
    assert tree.labels_under("X") == ["X", "Y"]


@pytest.mark.parametrize("content", [TURTLE, RDF, TURTLE.replace("\n", "\r")])
def test_skos(tmp_path: Path, content: str) -> None:
    thesaurus = read_tree(_written(tmp_path, content), "thesaurus")
    found = thesaurus.exploded("vascular diseases")
    assert found[0] == HeadingNames("Vascular Diseases", ("Vascular Diseases", "Gefäßkrankheiten"))
    assert {each.label for each in found} == {"Vascular Diseases", "Hypertension", "AneurysmA"}
    assert thesaurus.exploded("C14") == found
    assert "C14" not in found[0].names
    assert set(thesaurus.heading("hypertension").names) == {  # type: ignore[union-attr]
        "Hypertension",
        "Blood Pressure, High",
        "High Blood Pressure",
    }
    assert thesaurus.heading("everything") is None


def test_a_folder_or_an_archive_has_several_files(tmp_path: Path) -> None:
    (tmp_path / "cpc").mkdir()
    _written(tmp_path / "cpc", CPC, "a.xml")
    _written(tmp_path / "cpc", CPC.replace("C08L", "C08K"), "b.xml")
    with zipfile.ZipFile(tmp_path / "cpc.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((tmp_path / "cpc").iterdir()):
            archive.write(path, path.name)
    for source in ("cpc", "cpc.zip"):
        scheme = read_tree(tmp_path / source, "scheme")
        assert scheme.has("C08K67/02")
        assert scheme.labels_under("C08L67/02")[1:] == ["C08L67/03", "C08L67/035"]


@pytest.mark.parametrize(
    ("content", "kind", "problem"),
    [
        (MESH_LINES, "scheme", "is not a scheme in a form that is known: it needs the IPC scheme of WIPO"),
        (CPC, "thesaurus", "is not a thesaurus in a form that is known: it needs MeSH"),
        ("", "scheme", "is not a scheme in a form"),
        (MESH_LINES.replace("MH = Eye", "M"), "thesaurus", "record 3 has no name (MH): it may have been cut"),
        (MESH_LINES.replace("MN = C11\n", f"MN = C{'.1' * 2000}\n"), "thesaurus", "deeper than 1000 levels"),
        (CPC[:-40], "scheme", "cannot be read: "),
        ('<class-scheme scheme-type="cpc"/>', "scheme", "has no class or heading"),
        ("@prefix skos: <x> .\n skos:a skos:b }", "thesaurus", "cannot be read: line 2: '}' is not Turtle"),
        (
            RDF.replace("prefLabel", "label").replace("altLabel", "other"),
            "thesaurus",
            "no concept has a skos:prefLabel",
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, kind: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        read_tree(_written(tmp_path, content), kind)  # type: ignore[arg-type]
    assert problem in str(raised.value)


def test_entities_are_not_expanded_and_circles_end(tmp_path: Path) -> None:
    bomb = MESH_XML.replace(
        '<!DOCTYPE DescriptorRecordSet SYSTEM "https://nowhere.invalid/desc.dtd">',
        '<!DOCTYPE DescriptorRecordSet [<!ENTITY a "aaaaaaaa"><!ENTITY f SYSTEM "file:///etc/hostname">]>',
    ).replace("Eye Diseases", "Eye&a;&f;Diseases")
    tree = read_tree(_written(tmp_path, bomb), "thesaurus")
    assert not any("aaaa" in name for group in tree.groups() for name in group)
    circle = Tree.of([Entry("1", "one", broader=["2"]), Entry("2", "two", broader=["1"])])
    assert circle.labels_under("one") == ["one", "two"]


def test_the_order_of_classes() -> None:
    symbols = [
        "A61",
        "A61K",
        "A61K9/00",
        "A61K31/00",
        "A61K31/095",
        "A61K31/10",
        "A61K31/7042",
        "A61K31/80",
        "A61P1/00",
    ]
    others = symbols[::-1]
    assert sorted(others, key=class_order) == symbols


DOCUMENTS = [
    {"id": f"EP{number}", "title": "a polymer", "ipc": [symbol], "publication": f"20{number:02}-01-01"}
    for number, symbol in enumerate(
        ["C08L67/00", "C08L67/02", "C08L67/025", "C08L67/03", "C08L67/035", "C08L67/04", "C08L69/00", "C08K5/00"], 1
    )
]


def _found(index: Index, query: str) -> list[str]:
    result = ll.search(index, query)
    return sorted(symbol for hit in result.hits for symbol in index.words_of("ipc", hit.row))


def test_classes_with_a_scheme_and_without(tmp_path: Path) -> None:
    index = ll.build_index(DOCUMENTS, tmp_path / "index", fields=["title"])
    assert _found(index, "class:C08L67/02") == ["C08L67/02", "C08L67/025"]  # those that begin so
    assert any("--scheme" in note for note in ll.search(index, "class:C08L67/02").notes)
    index = index.keep({"scheme": read_tree(_written(tmp_path, IPC), "scheme")})
    dotted = ["C08L67/02", "C08L67/03", "C08L67/035"]
    for query in ("class:C08L67/02", "ipc:C08L67/02", "class:C08L67/02/low", "class:(C08L67/02 OR C08L67/03)"):
        assert _found(index, query) == dotted, query
        assert not any("--scheme" in note for note in ll.search(index, query).notes)
    assert [hit.name for hit in ll.search(index, "polymer", classes=["C08L67/02"]).hits] == ["EP5", "EP4", "EP2"]
    assert _found(index, "class:C08L67/03") == dotted[1:]
    main = [symbol for each in DOCUMENTS[:6] for symbol in each["ipc"]]
    for query in ("class:C08L67/00", "class:C08L67", "class:C08L67/low", "class:C08L67*"):
        assert _found(index, query) == main, query
    assert "is not in file" in str(ll.search(index, "class:C08L67/99").notes)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("class:C08L67/02-C08L67/03", ["C08L67/02", "C08L67/025", "C08L67/03", "C08L67/035"]),
        ("class:C08L67/02-67/03", ["C08L67/02", "C08L67/025", "C08L67/03", "C08L67/035"]),
        ("class:C08L 67/025 - C08L 67/04", ["C08L67/025", "C08L67/03", "C08L67/035", "C08L67/04"]),
        ("cpc:C08L67/02->C08L67/03", []),
        ("ic=C08L67/04..C08L69/00", ["C08L67/04", "C08L69/00"]),
        ("class:C08K-C08L67/00", ["C08K5/00", *(f"C08L67/{n}" for n in ("00", "02", "025", "03", "035", "04"))]),
        ("class:C08L67/04-C08L67/02", []),
        ("class:C08L -ipc:C08L67/00-C08L67/04", ["C08L69/00"]),
    ],
)
def test_ranges_of_classes(tmp_path: Path, query: str, expected: list[str]) -> None:
    index = ll.build_index(DOCUMENTS, tmp_path / "index", fields=["title"])
    assert _found(index, query) == expected
    understood = ll.search(index, query).understood
    assert _found(index, understood) == expected
    if "C08L67/04-C08L67/02" in query:
        assert "ends before it begins" in str(ll.search(index, query).notes)


def test_an_index_keeps_its_trees_through_every_change(tmp_path: Path) -> None:
    scheme, mesh = _written(tmp_path, IPC, "scheme.xml"), _written(tmp_path, MESH_LINES, "mesh.bin")
    index = ll.build_index(DOCUMENTS, tmp_path / "index", fields=["title"], scheme=scheme, thesaurus=mesh)
    assert index.scheme is not None
    assert index.scheme.source == "scheme.xml"
    index = index.add([{"id": "EP20", "title": "a nail", "ipc": ["C08L67/035"]}]).merge()
    assert _found(index, "class:C08L67/03") == ["C08L67/03", "C08L67/035", "C08L67/035"]
    assert index.thesaurus is not None
    assert index.thesaurus.heading("hypertension")
    assert list(check_index(index.folder)) == []
    before = {entry["file"] for entry in files_of(index.manifest)}
    index = index.keep({"thesaurus": read_tree(_written(tmp_path, TURTLE, "own.ttl"), "thesaurus")})
    after = {entry["file"] for entry in files_of(index.manifest)}
    assert len(before ^ after) == 2
    assert not any((index.folder / name).exists() for name in before - after)
    assert index.thesaurus is not None
    assert index.thesaurus.source == "own.ttl"
    assert index.scheme is not None


def test_a_damaged_tree_is_told(tmp_path: Path) -> None:
    index = ll.build_index(DOCUMENTS, tmp_path / "index", fields=["title"], scheme=_written(tmp_path, IPC))
    path = index.folder / index.manifest["trees"]["scheme"]["file"]
    content = bytearray(path.read_bytes())
    content[content.index(b"C08L67/03")] ^= 1
    path.write_bytes(content)
    assert [finding.mend for finding in check_index(index.folder)] == [
        "keep it again with `leadline index --update --scheme FILE`"
    ]
    with pytest.raises(InputError, match="is damaged"):
        ll.search(index.folder, "class:C08L67/02")


def test_an_older_index_is_read_as_it_was(tmp_path: Path) -> None:
    texts = [{"id": "KR1", "abstract": "전지용 전극", "language": "ko"}, {"id": "KR2", "abstract": "전지"}]
    index = Index.build(texts, tmp_path / "index", fields=["abstract"], analysis=Analysis(syllables="whole"))
    content = json.loads((index.folder / "manifest.json").read_text())
    content["version"] = 5
    del content["analysis"]["syllables"], content["checksum"]
    (index.folder / "manifest.json").write_bytes(sealed(content))
    older = ll.search(index.folder, "전지")
    assert [hit.name for hit in older.hits] == ["KR2"]
    assert "made in an older format" in str(older.notes)
    kept = Index.open(index.folder).keep({"thesaurus": read_tree(_written(tmp_path, TURTLE), "thesaurus")})
    assert kept.analysis.syllables == "whole"
    assert kept.manifest["version"] == 6
    newer = ll.build_index(texts, tmp_path / "newer", fields=["abstract"])
    assert {hit.name for hit in ll.search(newer, "전지").hits} == {"KR1", "KR2"}
