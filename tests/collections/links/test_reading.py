"""Graphs from edge lists, citations and crawls, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection_files import write_table
from leadline.collections.documents.document import Citation, Document
from leadline.collections.links.reading import graph_of_edges, read_links, read_page_weights
from leadline.errors import InputError


def edges(folder: Path, text: str, name: str = "edges.tsv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\na\tc\nc\tb\n",
        "a b\na c\nc b",
        "# a comment\n\na\tb\n\na\tc\n# another\nc\tb\n",
        "source\ttarget\na\tb\na\tc\nc\tb\n",
        "start end\na b\na c\nc b\n",
        "cited\tciting\ttype\nb\ta\tF\nc\ta\tF\nb\tc\tF\n",
        "a\tb\r\na\tc\r\nc\tb\r\n",
        "a\tb\t1\na\tc\t1\nc\tb\t1\n",
        "a\tb\tthe best\na\tc\t1999\nc\tb\t\n",
        "a\tb\na\tb\na\tc\nc\tb\nc\tb\n",
    ],
)
def test_the_same_graph_however_it_is_written(tmp_path: Path, text: str) -> None:
    graph = read_links(edges(tmp_path, text))
    assert list(graph.pages) == ["a", "b", "c"]
    assert (graph.out_links("a"), graph.out_links("c"), graph.in_links("b")) == (["b", "c"], ["b"], ["a", "c"])
    assert graph.in_degrees.tolist() == [0, 2, 1]
    assert graph.out_degrees.tolist() == [2, 0, 1]


def test_compressed_weights_and_anchors(tmp_path: Path) -> None:
    packed = tmp_path / "edges.tsv.gz"
    packed.write_bytes(gzip.compress(b"a\tb\t0.5\na\tb\t2\nb\ta\t1e-3\n"))
    assert read_links(packed).weights.tolist() == [0.001, 2.5]
    graph = read_links(edges(tmp_path, "a\tb\tone way\nc\tb\tanother way\nb\ta\t\n"))
    assert graph.anchor_texts("b") == ["one way", "another way"]
    assert graph.anchor_texts("a") == []


def test_pages_that_are_only_declared(tmp_path: Path) -> None:
    graph = read_links(edges(tmp_path, "# n=4; src dst\n0\t2\n"))
    assert list(graph.pages) == ["0", "1", "2", "3"]
    with pytest.raises(InputError, match="page '7' is not a number below 4, though a comment says n=4"):
        read_links(edges(tmp_path, "# n=4\n0\t7\n"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "edges.tsv: is empty"),
        ("# nothing\n\n", "edges.tsv: has no edges"),
        ("source\ttarget\n", "edges.tsv: has a line of column names and no edges"),
        ("a\n", "edges.tsv:1: 1 field, expected source target"),
        ("a\tb\na\tb\tc\n", "edges.tsv:2: 3 fields, the first edge has 2"),
        ("a\tb\n\na\n", "edges.tsv:3: 1 field, the first edge has 2"),
        ("a\tb\n\tb\n", "edges.tsv:2: a page has no name"),
        ("a\tb\t1\na\tc\tnan\n", "edges.tsv:2: the weight must be a number of 0 or more, got 'nan'"),
        ("# x\na\tb\t1\na\tc\t-2\n", "edges.tsv:3: the weight must be a number of 0 or more, got '-2'"),
        ("a\tb\t1\na\tc\tinf\n", "edges.tsv:2: the weight must be a number of 0 or more, got 'inf'"),
        ("a\tb\t1\na\tc\t2\na\td\tmany\n", "edges.tsv:3: the weight must be a number of 0 or more, got 'many'"),
        ("source\ttarget\tweight\na\tb\tx\n", "edges.tsv:2: the weight must be a number of 0 or more, got 'x'"),
        ("a\tb\t1e308\na\tc\t1e308\n", "the weights are too large, or not numbers: their sum is not finite"),
    ],
)
def test_a_wrong_edge_list_gets_one_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        read_links(edges(tmp_path, text))
    assert problem in str(error.value)
    assert "\n" not in str(error.value)


def test_names_that_are_not_utf_8_are_not_taken_for_the_same(tmp_path: Path) -> None:
    (tmp_path / "edges.tsv").write_bytes("a\tb\né\tü\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"edges.tsv:2: a page's name is not UTF-8 text: save the file as UTF-8"):
        read_links(tmp_path / "edges.tsv")
    (tmp_path / "anchors.tsv").write_bytes("a\tb\tcafé\n".encode("latin-1"))
    assert read_links(tmp_path / "anchors.tsv").links == 1


def test_json_is_not_taken_as_an_edge_list(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    path.write_text('{"id": "a", "title": "one two"}\n')
    with pytest.raises(InputError, match="is JSON, not an edge list"):
        read_links(path)


def test_wrong_pairs_get_one_line() -> None:
    for wrong, problem in (
        ([("a",)], "expected (source, target)"),
        ([("a", "b"), ("a", "b", 1)], "expected (source, target)"),
        ([("a", "b", float("nan"))], "edge 1: the weight must be a number of 0 or more, got nan"),
        ([("a", "b", -1)], "edge 1: the weight must be a number of 0 or more, got -1"),
        ([("a", "b", "x")], "the weight 'x' is not a number"),
    ):
        with pytest.raises(InputError) as error:
            graph_of_edges(wrong)
        assert problem in str(error.value)


def test_a_name_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(InputError, match="'pagr' is not a page of the graph; did you mean page"):
        graph_of_edges([("page", "other")]).in_links("pagr")


def test_weights_of_pages(tmp_path: Path) -> None:
    assert read_page_weights(str(edges(tmp_path, "a\t2\nb\n# c\nd 0.5\n"))) == {"a": 2.0, "b": 1.0, "d": 0.5}
    for text, problem in (("a\tx\n", "edges.tsv:1: the weight"), ("a -1\n", "edges.tsv:1"), ("#\n", "names no page")):
        with pytest.raises(InputError) as error:
            read_page_weights(str(edges(tmp_path, text)))
        assert problem in str(error.value)


# Collections


def collection(folder: Path, **cites: tuple[str, ...]) -> Path:
    documents = [
        Document(name, title=name, citations=tuple(Citation(cited) for cited in cited)) for name, cited in cites.items()
    ]
    write_collection(documents, folder, {"sources": "test"})
    return folder


def links_table(folder: Path, rows: list[tuple[str, str, str, bool]]) -> None:
    frame = pl.DataFrame(rows, ["source", "target", "anchor", "nofollow"], orient="row")
    write_table(frame, folder / "links.parquet")


def test_citations_are_links(tmp_path: Path) -> None:
    graph = read_links(collection(tmp_path / "c", A=("B", "Z"), B=(), C=("B", "A")))
    assert list(graph.pages) == ["A", "B", "C"]
    assert graph.in_links("B") == ["A", "C"]
    assert graph.notes == ("1 citation of documents outside the collection left out",)


def test_a_collection_without_citations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no citations between its documents, and it is not a crawl"):
        read_links(collection(tmp_path / "c", A=(), B=()))


def test_a_crawl_has_links_with_texts(tmp_path: Path) -> None:
    folder = collection(tmp_path / "crawl", **{"http://a/": (), "http://b/": ()})
    rows = [
        ("http://a/", "http://b/", "to b", False),
        ("http://a/", "http://b/", "b again", False),
        ("http://b/", "http://a/", "not this one", True),
        ("http://b/", "http://elsewhere/", "away", False),
    ]
    links_table(folder, rows)
    graph = read_links(folder)
    assert (list(graph.pages), graph.links) == (["http://a/", "http://b/"], 1)
    assert graph.anchor_texts("http://b/") == ["to b", "b again"]
    assert graph.notes == ("1 link marked nofollow left out", "1 link to pages that were not fetched left out")
    assert read_links(folder, nofollow="count").links == 2
    assert len(read_links(folder, pages="all")) == 3


def test_the_collection_of_a_crawl_finds_the_tables_beside_it(tmp_path: Path) -> None:
    folder = collection(tmp_path / "crawl" / "collection", **{"http://a/": (), "http://b/": ()})
    links_table(folder.parent, [("http://a/", "http://b/", "to b", False)])
    with pytest.raises(InputError, match="it is not a crawl"):
        read_links(folder)
    (folder.parent / "crawl.json").write_text("{}")
    assert read_links(folder).anchor_texts("http://b/") == ["to b"]


def test_a_damaged_table_of_links_is_refused(tmp_path: Path) -> None:
    folder = collection(tmp_path / "crawl", **{"http://a/": (), "http://b/": ()})
    links_table(folder, [("http://a/", "http://b/", "to b", False)])
    path = folder / "links.parquet"
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"links.parquet: is damaged"):
        read_links(folder)


@pytest.mark.parametrize(
    "lines", ["a b\nb c\nc a\nd a\n", "# n=4\n0 1\n1 2\n", "a\tb\t2\nb\tc\t1\n", "a b 2\nb c 1 \n"]
)
@pytest.mark.parametrize("end", ["\r\n", "\r", " \n"])
def test_the_end_of_a_line_is_part_of_no_name(tmp_path: Path, lines: str, end: str) -> None:
    (tmp_path / "plain").write_text(lines)
    (tmp_path / "ended").write_bytes(lines.replace("\n", end).encode())
    plain = read_links(tmp_path / "plain")
    for memory in (None, "1GB"):
        found = read_links(tmp_path / "ended", memory=memory)
        assert (list(found.pages), found.weights.tolist()) == (list(plain.pages), plain.weights.tolist())


def test_part_of_a_graph() -> None:
    graph = graph_of_edges([("a", "b", 1), ("b", "c", 2), ("c", "a", 3), ("c", "c", 4)])
    part = graph.part(np.array([True, False, True]))
    assert (list(part.pages), part.in_links("a"), part.weights.tolist()) == (["a", "c"], ["c"], [3.0, 4.0])
