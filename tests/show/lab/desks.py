"""A lab of a few documents about nails, for cases."""

from __future__ import annotations

from pathlib import Path

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document
from leadline.retrieval.index.index import Index
from leadline.show.lab.lab import Lab

CLAIMS = (
    Claim(1, "A nail comprising: a tip of tin; and a head of brass, wherein the tip is bent."),
    Claim(2, "The nail of claim 1, wherein the head is round.", (1,)),
)
SEARCHED = Document(
    "EP0000009A1", office="EP", serial="0000009", kind="A1", title="Bent nail", abstract="A nail that is bent.",
    claims=CLAIMS, ipc=("F16B15/00",), application="2005-01-02", publication="2006-02-03",
    applicants=("Nagel AG",), inventors=("Anna Stift",), citations=(Citation("EP0000001A1", "examiner", "X"),),
)  # fmt: skip
EARLIER = (
    ("EP0000001A1", "Nail of tin", "A nail comprising a tip of tin and a head of brass. The tip is bent.", "Nagel AG"),
    ("EP0000002A1", "Round head", "A head that is round, of brass, for a bolt.", "Bolzen GmbH"),
    ("EP0000003A1", "Bolt", "A bolt of iron.", "Bolzen GmbH"),
    ("EP0000004A1", "Glue", "A glue without nails.", "Leim SA"),
)
NEW = Document(
    "EP0000005A1", office="EP", serial="0000005", kind="A1", title="Nails of tin", publication="2004-05-06",
    abstract="Many a nail has a tip of tin.", applicants=("Nagel AG",),
)  # fmt: skip


def documents(*more: Document) -> list[Document]:
    found = [
        Document(
            number, office="EP", serial=number[2:9], kind="A1", title=title, abstract=f"About {title.lower()}.",
            description=text, ipc=("F16B15/00",), publication=f"199{place}-03-04", applicants=(applicant,),
            inventors=(f"Person {place}",),
        )
        for place, (number, title, text, applicant) in enumerate(EARLIER)
    ]  # fmt: skip
    return [*found, SEARCHED, *more]


def nail_lab(folder: Path, *more: Document) -> Lab:
    write_collection(iter(documents(*more)), folder / "documents", {"what": "test"})
    collection = Collection.open(folder / "documents")
    Index.build(collection, folder / "index", origin=str(collection.folder), positions=True)
    lab = Lab.create(folder / "lab", "Nails")
    lab.add(folder / "documents", name="nails")
    lab.add(folder / "index", name="words")
    (folder / "present.run").write_text(
        "EP0000009A1 Q0 EP0000003A1 1 2 old\nEP0000009A1 Q0 EP0000001A1 2 1 old\n", encoding="utf-8"
    )
    lab.add(folder / "present.run")
    return lab
