"""A lab whose documents are hostile or odd, for the pages that search."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document
from leadline.retrieval.index.index import Index
from leadline.show.lab.lab import Lab

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)> \x1b[31m\u202e coating"
STRANGE = "a/b?c=<i>&d#e"  # an id that is not safe in an address


def odd_documents() -> Iterator[Document]:
    yield Document(
        STRANGE, title=HOSTILE, abstract=HOSTILE, description=f"{HOSTILE}\n{HOSTILE}", applicants=(HOSTILE,),
        claims=(Claim(1, HOSTILE), Claim(2, f"Its coating {HOSTILE}", (1, 3)), Claim(3, "Refers ahead.", (2,))),
        citations=(Citation("EP0000009A1", "examiner", "X"), Citation(text=HOSTILE)), publication="1999",
    )  # fmt: skip
    yield Document("D2", title="A coating without anything else")
    yield Document("D3", title="A plain coating of zinc", abstract="Zinc coating.", ipc=("C07D401/04",), office="EP")
    deep = tuple(Claim(n, f"The coating of claim {n - 1}.", (n - 1,) if n > 1 else ()) for n in range(1, 1500))
    yield Document("D4", title="Many claims", claims=deep, publication="2001-02-03")


def odd_lab(folder: Path) -> Path:
    write_collection(odd_documents(), folder / "documents", {"what": "test"})
    collection = Collection.open(folder / "documents")
    Index.build(collection, folder / "index", origin=str(collection.folder))
    lab = Lab.create(folder / "lab", "Odd")
    lab.add(folder / "documents", name="odd")
    lab.add(folder / "index", name="words")
    (folder / "near.tsv").write_text("group\tdocument\tresemblance\tkept\n1\tD2\t1\t1\n1\tD3\t0.9\t0\n")
    lab.add(folder / "near.tsv")
    (folder / "judged.txt").write_text(f"7 0 D2 1\n7 0 D3 0\n7 0 {STRANGE} 2\n")
    lab.add(folder / "judged.txt", kind="qrels")
    return folder / "lab"
