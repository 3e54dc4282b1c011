"""`leadline prior-art`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from leadline.collections.documents.fields.record_fields import to_record


def test_prior_art_hides_the_family_and_what_came_later(office: Any) -> None:
    page = office.rows("prior-art", office.index, "EP", "1", "000", "001", "B1")
    assert isinstance(page, dict)
    assert page["topic"]["document"] == "EP1000001B1"
    names = [hit["document"] for hit in page["hits"]]
    assert set(names) <= {"EP0900001A1", "WO9700001A1", "US5000001A", "JP1990001A"}
    assert len({"EP0900001A1", "WO9700001A1"} & set(names)) == 1
    assert page["hidden"] == {"itself": 1, "own family": 1, "later": 1}
    _, err = office.run("prior-art", office.index, "EP1000001B1")
    assert err == "  hidden: the patent itself, 1 of its own family, 1 published after 1999-05-01\n"


def test_claims_point_to_the_passages_that_bear_on_them(office: Any) -> None:
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
    assert "of them strongly" in " ".join(out.split())


def test_a_system_by_name_or_file(office: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('steps = [{step = "dates", by = "none"}, {step = "text", fields = ["title"]}, "search"]')
    for name in ("baseline", str(file)):
        page = office.rows("prior-art", office.index, "EP1000001", "--system", name)
        assert {"US6500001B2", "US6000001B1", "EP1000001B1"}.isdisjoint(hit["document"] for hit in page["hits"])
    assert "baselin" in office.error("prior-art", office.index, "EP1000001", "--system", "baselin", status=2)


def test_files_of_every_kind(office: Any, tmp_path: Path) -> None:
    text = tmp_path / "idea.txt"
    claims = "1. A polymer film with dispersed silver particles.\n2. The film of claim 1, bent."
    text.write_text(f"Film\n\nA film.\n\nClaims\n{claims}\n")
    page = office.rows("prior-art", office.index, str(text))
    assert [claim["claim"] for claim in page["claims"]] == [1, 2]
    assert page["hidden"] == {"itself": 0, "own family": 0, "later": 0}
    assert "without any date" in office.run("prior-art", office.index, str(text))[1]
    dated = office.rows("prior-art", office.index, str(text), "--date", "1996")
    assert {hit["document"] for hit in dated["hits"]} == {"US5000001A", "JP1990001A"}  # all that is earlier
    record = tmp_path / "topic.json"
    record.write_text(json.dumps(to_record(office.topic)))
    assert office.rows("prior-art", office.index, str(record))["hidden"] == {"itself": 1, "own family": 1, "later": 1}
    both = tmp_path / "two.jsonl"
    both.write_text("\n".join(json.dumps(to_record(document)) for document in office.documents[:2]))
    assert "holds 2 patents" in office.error("prior-art", office.index, str(both))
    xml = tmp_path / "topic.xml"
    xml.write_text("<notes><note>no patent</note></notes>")
    assert "no document" in office.error("prior-art", office.index, str(xml))


def test_prior_art_refuses_in_one_line(office: Any, tmp_path: Path) -> None:
    assert office.error("prior-art", office.index, "EP9999999B1") == (
        f"EP9999999B1: is neither a patent in {office.collection} nor a file"
    )
    assert "only be used with a file" in office.error(
        "prior-art", office.index, "EP1000001", "--date", "1999", status=2
    )
    empty = tmp_path / "empty.txt"
    empty.write_text(" \n")
    assert "empty.txt" in office.error("prior-art", office.index, str(empty))
