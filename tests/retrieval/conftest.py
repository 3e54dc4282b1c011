"""A small patent office by hand, in which every document is there for a reason; and a larger one that is simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leadline.collections.documents.build import write_collection
from leadline.collections.documents.collection import Collection
from leadline.collections.documents.document import Citation, Claim, Document, Priority
from leadline.collections.documents.numbers import normalise
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.pipeline.context import SearchContext

PLAIN = Analysis(stemming="none", stop_words="none")


def patent(number: str, publication: str = "", abstract: str = "", **more: Any) -> Document:
    spelt = normalise(number)
    claims = tuple(Claim(*claim) for claim in more.pop("claims", ()))
    cites = tuple(Citation(cited) for cited in more.pop("cites", ()))
    return Document(
        number, spelt.office, spelt.serial, spelt.kind, "en", abstract=abstract, publication=publication, claims=claims,
        citations=cites, **more,
    )  # fmt: skip


TOPIC = patent(
    "EP1000000A1", "2001-12-01", "ink pigment ink", title="ink", description="ink pigment paper paper",
    priorities=(Priority("EP99900001", "1999-06-01"), Priority("EP00900001", "2000-06-01")), application="2000-07-01",
    claims=((1, "ink pigment"), (2, "cobalt", (1,)), (3, "paper", (2,))), ipc=("C09D11/00", "B41M5/00"),
    cites=("US5000001A", "US5000009A"),
)  # fmt: skip
DOCUMENTS = [
    TOPIC,
    # Its sibling, which cites what nobody else does.
    patent("US6100000B1", "2002-05-05", "ink pigment", priorities=TOPIC.priorities, cites=("US5000010A",)),
    patent("US5000001A", "1995-01-01", "ink pigment", cites=("US4000003A", "DE3900005A1"), ipc=("C09D11/02",)),
    # Two publications of one invention.
    patent("EP0500002A1", "1993-01-01", "ink", cites=("US4000003A",), ipc=("C09D5/00",)),
    patent("EP0500002B1", "1999-01-01", "ink ink glass", cites=("US4000003A",), ipc=("C09D5/00",)),
    # No word of the topic but in a claim: found by citations.
    patent("US4000003A", "1985-01-01", "cobalt glass", claims=((1, "cobalt glass"),), ipc=("C03C1/00",)),
    patent("DE3900005A1", "1990-01-01", "glass", ipc=("C03C1/00",), application_number="DE3900005"),
    patent("US4000005A", "1991-01-01", "steel", priorities=(Priority("DE3900005", "1989-01-01"),)),  # its family
    # One that came late, and what only late ones cite.
    patent("US7000004B2", "2003", "ink pigment paper", cites=("US4000008A", "DE3900005A1"), application="2001-01-01"),
    patent("US4000008A", "1984-01-01", "steel paper", ipc=("B41M5/00",)),
    patent("US5000006A", "2000-06-01", "ink"),  # on the very day
    patent("US5000007A", "2000-06-02", "ink", application="1999-01-01"),  # the day after, but filed before
    patent("US5000009A", "1996-01-01", "pigment", claims=((1, "cobalt"), (2, "paper"))),
    patent("US5000010A", "1997-01-01", "steel"),
    patent("EP0900011A1", "", "ink", application="1998-01-01"),  # no day of publication
    patent("EP0900012A1", "", "ink"),  # no day at all, of a lower number than the topic
    patent("EP1100013A1", "", "ink"),  # of a higher number
]


def built(
    documents: list[Document], folder: Path, analysis: Analysis = PLAIN, fields: Sequence[str] | None = None
) -> SearchContext:
    """The search context of these documents, as the commands would make it."""
    chosen = {} if fields is None else {"fields": fields}
    write_collection(documents, folder / "collection", {"sources": "by hand"})
    Index.build(
        Collection.open(folder / "collection"), folder / "index", analysis=analysis, workers=1,
        origin=str(folder / "collection"), **chosen,
    )  # fmt: skip
    return SearchContext.open(folder / "index")


@pytest.fixture(scope="session")
def build():
    return built


@pytest.fixture(scope="session")
def documents() -> list[Document]:
    return DOCUMENTS


@pytest.fixture(scope="session")
def context(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    return built(DOCUMENTS, tmp_path_factory.mktemp("office"))


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SearchContext:
    from leadline.collections.simulate.office import build_office
    from leadline.collections.simulate.printing import office_documents
    from leadline.collections.simulate.settings import Settings

    office = build_office(Settings(patents=400, topics=0, length=60))
    return built(list(office_documents(office)), tmp_path_factory.mktemp("simulated"), Analysis())


@pytest.fixture(scope="session")
def hidden_by_loop() -> Callable[..., list[bool]]:
    """The rule of what a topic may not see, once more: document by document, with dates."""

    def hidden(records: Any, row: int, rule: str = "publication") -> list[bool]:
        family, day = records["family"][row], records["known"][row]
        public = zip(records["family"], records["publication"], records["known"], strict=True)
        return [
            own == family or (rule != "none" and day is not None and (published or known or day) > day)
            for own, published, known in public
        ]

    return hidden
