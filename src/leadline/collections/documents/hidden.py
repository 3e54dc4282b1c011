"""Documents that a search for a topic must not return: the topic's own family, and later documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from leadline.collections.documents.patents import Patents, citing_family

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

Dates = Literal["priority", "none"]


def public_from() -> pl.Expr:
    """The day since when a document may have been public.

    Where no publication date is known, it is the day the document was filed: before that it cannot have been.
    """
    import polars as pl

    return pl.coalesce("publication", "known")


def hidden_documents(records: pl.DataFrame, row: int, dates: Dates = "priority") -> NDArray[np.bool_]:
    """The documents that may not be returned for the patent in this row.

    They are its own family and, with `dates="priority"`, what was published after its priority date; the same day is
    not after. The search and the judgements follow this one rule, so that neither holds what the other cannot.
    """
    own = records["family"] == records["family"][row]
    date = records["known"][row]
    if dates == "none" or date is None:
        return own.to_numpy()
    later = records.select(later=public_from() > date)["later"].fill_null(value=False)
    return (own | later).to_numpy()


def hidden_citations(patents: Patents, row: int) -> NDArray[np.bool_]:
    """The citations that may not be used for the patent in this row: its own, and those of its family.

    They are what the judgements are made of.
    """
    family = patents.records["family"][row]
    own = patents.citations.select(own=citing_family(patents.records) == family)["own"]
    return own.fill_null(value=False).to_numpy()
