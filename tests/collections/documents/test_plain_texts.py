"""Plain texts in files: each is a document, where somebody says that they are plain."""

from __future__ import annotations

from pathlib import Path

import pytest

import leadline as ll
from leadline.collections.documents.collection import Collection
from leadline.errors import InputError


def test_plain_texts_are_documents_by_the_names_of_their_files(tmp_path: Path) -> None:
    texts = tmp_path / "texts"
    (texts / "more").mkdir(parents=True)
    (texts / "a note.txt").write_text("Nägel\n\nA nail,\tbent. <b>7 & 8</b>, x<y\r\n", encoding="utf-8")
    (texts / "more" / "one.txt").write_bytes("Nur eine Zeile über Nägel".encode("latin-1"))
    (texts / "日本.txt").write_text("二次電池\n正極活物質。\n", encoding="utf-8")
    (texts / "empty.txt").write_text(" \n")
    with pytest.raises(InputError, match="--form text reads each file as one plain text"):
        ll.build_collection(texts, tmp_path / "refused")
    ll.build_collection(texts, tmp_path / "made", form="text")
    found = {each.id.rpartition("/")[2]: each for each in Collection.open(tmp_path / "made").documents()}
    assert set(found) == {"a_note.txt", "one.txt", "日本.txt"}
    assert found["a_note.txt"].title == "Nägel"
    assert found["a_note.txt"].description == "A nail, bent. <b>7 & 8</b>, x<y"
    assert (found["one.txt"].title, found["one.txt"].description) == ("", "Nur eine Zeile über Nägel")
    assert found["日本.txt"].description == "正極活物質。"
    (broken,) = (tmp_path / "made").rglob("broken.tsv")
    assert "empty.txt" in broken.read_text(encoding="utf-8")
