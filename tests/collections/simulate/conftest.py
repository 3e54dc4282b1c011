"""Small offices, made once for all tests."""

from __future__ import annotations

import pytest

from leadline.collections.documents.document import Document
from leadline.collections.simulate.office import SimulatedOffice, build_office
from leadline.collections.simulate.printing import office_documents
from leadline.collections.simulate.settings import Settings


@pytest.fixture(scope="session")
def office() -> SimulatedOffice:
    return build_office(Settings(patents=3000, seed=3))


@pytest.fixture(scope="session")
def documents(office: SimulatedOffice) -> list[Document]:
    return list(office_documents(office))
