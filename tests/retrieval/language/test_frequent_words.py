"""Words so frequent that their places are read for some documents at a time: the answers are the same."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from leadline.collections.documents.document import Claim, Document
from leadline.retrieval.index.index import Index
from leadline.retrieval.language import matching
from leadline.retrieval.language.language import Language

QUERIES = (
    '"acid film"', '"acid film"~2', "acid NEAR/3 metal", "acid ADJ/2 (film OR metal)", "acid SAME metal", '"fil* acid"',
    '"acid film" NEAR/5 metal', 'claims:"metal film"', '("acid film" OR "metal acid") NEAR/4 film',
)  # fmt: skip


@pytest.fixture(scope="module")
def frequent(tmp_path_factory: pytest.TempPathFactory) -> Language:
    rng = random.Random(1)

    def text(words: int) -> str:
        return " ".join(rng.choices(("acid", "film", "films", "metal", "of. And"), k=words))

    made = [Document(f"D{n}", abstract=text(30), claims=(Claim(1, text(9)), Claim(2, text(9)))) for n in range(60)]
    folder: Path = tmp_path_factory.mktemp("frequent") / "index"
    index = Index.build(made[:40], folder, fields=("abstract", "claims"), positions=True)
    return Language(index.add(made[40:]))


@pytest.mark.parametrize("query", QUERIES)
def test_places_are_read_for_some_documents_at_a_time(
    query: str, frequent: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = frequent.search(query, k=100)
    assert whole.found > 3
    for most in (1, 50):
        monkeypatch.setattr(matching, "MOST_PLACES", most)
        again = Language(Index.open(frequent.index.folder)).search(query, k=100)
        assert again.found == whole.found
        assert again.ranking.rows.tolist() == whole.ranking.rows.tolist()
        assert again.ranking.scores.tolist() == whole.ranking.scores.tolist()
