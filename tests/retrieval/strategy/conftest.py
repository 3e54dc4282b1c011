"""Twelve documents in which every word is there for a reason; the tables of lines say what each line finds in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Document
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext

TEXTS = [
    ("D1", "Hypertension in pregnancy", "Water in oil emulsions were given to women.", "2008-03-01", "en",
     "Smith, John A"),
    ("D2", "Hypertensive disorders", "Water and oil were given to one woman.", "2009-07-01", "en", "Smith, Jane"),
    ("D3", "Thin film of metal", "A thin polymer film on steel.", "2010-06-15", "en", "Jones, B"),
    ("D4", "Metal thin films", "Foil of a polymer near copper.", "2011-01-20", "de", "Müller, Karl"),
    ("D5", "Film and metal", "The film covers one two three four metal parts.", "2012-02-02", "en", "Jones, Brian"),
    ("D6", "Colour of foils", "Color and colours of the colourless foil.", "2013", "en", "Crenshaw, A H"),
    ("D7", "Heart attack in women", "Attack of the heart: myocardial infarction.", "2014", "fr", ""),
    ("D8", "Attacks on hearts", "Infarct of the myocardium.", "2015", "en", ""),
    ("D10", "Behaviour under anaesthesia", "Behavior with anesthesia and an anesthetist.", "2017", "en", ""),
    ("D11", "Bile duct stones", "Stone of the common bile duct. Ultrasound shows a calculus.", "2018", "en", ""),
]  # fmt: skip
DOCUMENTS = [
    Document(
        name, kind="record", language=language, title=title, abstract=abstract, publication=day,
        inventors=(author,) if author else (),
    )
    for name, title, abstract, day, language, author in TEXTS
] + [
    Document(
        "EP1234567A1", "EP", "1234567", "A1", "en", "Synthesis of 1,4-butanediol",
        "Butane and butanediol; poly(ethylene glycol).", publication="2016",
    ),
    Document(
        "EP1234568B1", "EP", "1234568", "B1", "en", "Photographic silver", "Cats and dogs and film.",
        publication="2005", applicants=("Siemens AG",), ipc=("C08J5/18",), cpc=("C08J5/18",),
    ),
]  # fmt: skip


def searched(documents: list[Document], folder: Path) -> SearchContext:
    """The search context of these documents, indexed with positions as `leadline index --positions` does."""
    write_collection(documents, folder / "collection", {"sources": "by hand"})
    Index.build(
        Collection.open(folder / "collection"), folder / "index", analysis=Analysis(), positions=True, workers=1,
        origin=str(folder / "collection"),
    )  # fmt: skip
    return SearchContext.open(folder / "index")


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    return searched(DOCUMENTS, tmp_path_factory.mktemp("records"))
