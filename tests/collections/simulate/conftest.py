"""Small offices, made once for all tests."""

from __future__ import annotations

import pytest

from leadline.collections.choices import OFFICE_WORDS
from leadline.collections.documents.document import Document
from leadline.collections.simulate.office import SimulatedOffice, build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings


@pytest.fixture(scope="session", params=OFFICE_WORDS)
def office(request: pytest.FixtureRequest) -> SimulatedOffice:
    return build_office(Settings(patents=3000, seed=3, words=request.param))


@pytest.fixture(scope="session")
def documents(office: SimulatedOffice) -> list[Document]:
    return list(office_documents(office))
