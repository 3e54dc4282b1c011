"""All facts of a simulated office as tables, for other studies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leadline.collections.simulate.claim_concepts import SLOTS
from leadline.collections.simulate.concept_names import FIRST
from leadline.collections.simulate.concepts import GENERAL, OF_GROUP
from leadline.collections.simulate.examiners import class_effects
from leadline.collections.simulate.office import SimulatedOffice
from leadline.collections.simulate.randomness import Integers
from leadline.collections.simulate.settings import AUTHORITIES
from leadline.text.days import EPOCH

if TYPE_CHECKING:
    import polars as pl


def concepts(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each concept: its class, its weight, its names."""
    import polars as pl

    known, names, tree = office.concepts, office.names, office.tree
    symbols = np.array([*tree.subclasses, *tree.groups], object)
    at = np.where(known.level == OF_GROUP, len(tree.subclasses) + known.owner, known.owner)
    return pl.DataFrame(
        {
            "level": np.array(["general", "subclass", "group"])[known.level],
            "class": np.where(known.level == GENERAL, "", symbols[np.maximum(at, 0)]).tolist(),
            "substance": known.substance,
            "names": [[name for name in row if name] for row in names.words[FIRST].tolist()],
            "abbreviation": names.short.tolist(),
            "registry": names.registry.tolist(),
            "inventions": office.prior_art.frequency,
            "bits": office.prior_art.information,
        }
    ).with_row_index("concept")


def inventions(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each invention. `claimable` are the concepts its claims choose from, `disclosed` all it discloses."""
    import polars as pl

    made, tree = office.inventions, office.tree
    listed = np.arange(made.claimable.shape[1]) < (made.claimable >= 0).sum(axis=1)[:, None]
    return pl.DataFrame(
        {
            "line": made.line,
            "class": [tree.symbol(*symbol) for symbol in zip(made.group.tolist(), made.subgroup.tolist(), strict=True)],
            "priority": np.datetime64(EPOCH) + made.priority,
            "applicant": made.applicant,
            "home": _codes(made.home),
            "continues": made.parent,
            "documents": np.diff(office.publications.starts),
            "claimable": _lists(made.claimable[listed], listed.sum(axis=1)),
            "disclosed": _lists(made.disclosed, np.diff(made.starts)),
        }
    ).with_row_index("invention")


def claims(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each claim of each invention: the claim it depends on (0: none), and the concepts it names."""
    import polars as pl

    made = office.claims
    invention = np.repeat(np.arange(len(made.counts)), made.counts)
    named = (made.concepts[:, None] >> SLOTS.astype(np.uint16)) & 1 == 1
    chosen = office.inventions.claimable[invention][named]
    number = np.arange(len(invention)) - made.starts[invention] + 1
    columns = {"invention": invention, "claim": number, "depends_on": made.parent.astype(np.int32)}
    return pl.DataFrame({**columns, "concepts": _lists(chosen, named.sum(axis=1))})


def documents(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each document, and the invention it describes."""
    import polars as pl

    made = office.publications
    published = {"document": office.ids.tolist(), "invention": made.invention, "office": _codes(made.office)}
    return pl.DataFrame({**published, "granted": made.granted, "published": np.datetime64(EPOCH) + made.published})


def prior_art(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each invention and each earlier one that is prior art to it."""
    import polars as pl

    return pl.DataFrame(
        {"invention": office.pairs.invention, "earlier": office.pairs.earlier, "grade": office.pairs.grade}
    )


def searches(office: SimulatedOffice) -> pl.DataFrame:
    """A row for each examiner's search and each true prior art: the chance to find it, and whether it was found."""
    import polars as pl

    made, pairs = office.searches, office.pairs
    return pl.DataFrame(
        {
            "office": _codes(made.office),
            "invention": pairs.invention[made.pair],
            "earlier": pairs.earlier[made.pair],
            "grade": pairs.grade[made.pair],
            "chance": made.chance,
            "found": made.found,
        }
    )


def examiners(office: SimulatedOffice) -> pl.DataFrame:
    """The terms of the log odds that an examiner finds a document: for each office, for each class, and all others."""
    import polars as pl

    settings = office.settings
    effects = class_effects(settings, office.tree).tolist()
    others = ("per_decade", "same_words", "own_office", "foreign_only", "anticipates")
    rows = [
        *(("office", authority.code, authority.skill) for authority in AUTHORITIES),
        *(("class", symbol, effect) for symbol, effect in zip(office.tree.classes, effects, strict=True)),
        *(("all", name, float(getattr(settings, name))) for name in others),
    ]
    return pl.DataFrame(rows, schema=["of", "term", "log_odds"], orient="row")


def _codes(offices: Integers) -> list[str]:
    return np.array([authority.code for authority in AUTHORITIES])[offices].tolist()


def _lists(values: NDArray[np.integer[Any]], counts: Integers) -> pl.Series:
    """Consecutive runs of numbers as a column of lists."""
    import polars as pl

    rows = np.repeat(np.arange(len(counts)), counts)
    frame = pl.DataFrame({"row": rows, "value": values}).group_by("row", maintain_order=True).agg("value")
    whole = pl.DataFrame({"row": np.arange(len(counts))}).join(frame, on="row", how="left", maintain_order="left")
    return whole["value"].fill_null([])


TABLES: dict[str, Callable[[SimulatedOffice], pl.DataFrame]] = {
    table.__name__: table for table in (concepts, inventions, claims, documents, prior_art, searches, examiners)
}
