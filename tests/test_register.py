"""A register: nobody replaces another's member, and what other packages offer is found."""

from __future__ import annotations

import importlib.metadata
import warnings
from types import SimpleNamespace

import pytest

from leadline.errors import InputError, LeadlineWarning
from leadline.register import Register

GROUP = "leadline.shapes"


@pytest.fixture
def shapes() -> Register[int]:
    register = Register[int]("shape", entry_points=GROUP)
    register.add("Square", 4, aliases=("quad",), home="one")
    return register


@pytest.fixture
def installed(shapes: Register[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two packages with entry points, of which the first fails."""

    def fail() -> None:
        raise RuntimeError("needs a newer ruler")

    entries = [
        SimpleNamespace(value="broken:shape", load=fail),
        SimpleNamespace(value="pentagons:shape", load=lambda: shapes.add("Pentagon", 5, home="pentagons")),
    ]
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda *, group: entries * (group == GROUP))


@pytest.mark.parametrize(
    ("name", "aliases"), [("Square", ()), ("square", ()), ("quad", ()), ("Rhombus", ("QUAD",)), ("Box", ("square",))]
)
@pytest.mark.parametrize("home", ["two", ""])
def test_a_latecomer_replaces_nobody(shapes: Register[int], name: str, aliases: tuple[str, ...], home: str) -> None:
    with pytest.raises(InputError, match="is taken by Square of one"):
        shapes.add(name, 9, aliases=aliases, home=home)
    assert dict(shapes) == {"Square": 4}
    assert shapes.named("quad") == 4


def test_a_module_replaces_its_own(shapes: Register[int]) -> None:
    shapes.add("Square", 8, aliases=("quad", "box"), home="one")
    assert [shapes.named(name) for name in ("Square", "quad", "box")] == [8, 8, 8]
    assert len(shapes) == 1


@pytest.mark.usefixtures("installed")
def test_a_name_is_looked_for_in_other_packages(shapes: Register[int]) -> None:
    assert shapes.named("square") == 4  # known, so nothing else is loaded
    with pytest.warns(LeadlineWarning, match="broken:shape cannot be loaded: RuntimeError: needs a newer ruler"):
        assert shapes.named("pentagon") == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # each package is loaded once, so it is reported once
        assert shapes.find("hexagon") is None


@pytest.mark.usefixtures("installed")
def test_members_of_other_packages_are_listed(shapes: Register[int]) -> None:
    with pytest.warns(LeadlineWarning, match="broken:shape"):
        assert list(shapes) == ["Pentagon", "Square"]
    assert shapes.names() == ["Square", "Pentagon", "quad"]
