"""The chart of a collection: its documents by year, office and class, and its citations by origin."""

from __future__ import annotations

import datetime

import polars as pl

from leadline.collections.documents.collection import Collection, counts
from leadline.show import vega_lite as alt
from leadline.show.charts import BUOY, DEPTH, styled

MOST = 12  # bars in a panel; the rest is one grey bar
PANEL, BAR = 300, 18  # in pixels: the width of a panel, the height of a bar


def collection_chart(collection: Collection) -> alt.Chart:
    """Four panels: years, offices, classes, and the origin of citations."""
    years = counts(collection, "year").filter(pl.col("value") != "unknown")
    panels = [
        _bars(counts(collection, "office"), "documents by office", DEPTH[3]),
        _bars(counts(collection, "subclass"), "documents by subclass", DEPTH[3]),
        _bars(counts(collection, "origin"), "citations by origin", BUOY),
    ]
    by_year = (
        alt.Chart.of(alt.values(years.to_dicts()), title="documents by year of publication")
        .mark_bar(color=DEPTH[3])
        .encode(
            x=alt.X("value:Q", title=None, axis=alt.Axis(format="d", grid=False, tickMinStep=1)),
            y=alt.Y("count:Q", title=None),
            tooltip=["value:Q", "count:Q"],
        )
        .properties(width=PANEL, height=160)
    )
    grid = alt.vconcat(alt.hconcat(by_year, panels[1]), alt.hconcat(panels[0], panels[2]))
    return styled(grid.properties(title=alt.title(collection_finding(collection), fontSize=15, offset=14)))


def collection_finding(collection: Collection) -> str:
    """What the chart shows, in a sentence."""
    records = collection.records
    offices = records["office"].n_unique()
    first, last = records["publication"].min(), records["publication"].max()
    years = sorted({day.year for day in (first, last) if isinstance(day, datetime.date)})
    span = f", published {' to '.join(map(str, years))}" if years else ""
    origins = counts(collection, "origin")
    total = int(origins["count"].sum())
    examiners = int(origins.filter(pl.col("value") == "examiner")["count"].sum())
    cited = f"; examiners made {100 * examiners / total:.0f} % of {total:,} citations" if total else "; no citations"
    return f"{len(collection):,} documents of {offices} office{'s' * (offices != 1)}{span}{cited}"


def _bars(table: pl.DataFrame, title: str, colour: str) -> alt.Chart:
    shown = table.head(MOST).to_dicts()
    rest = int(table["count"][MOST:].sum())
    if rest:
        shown.append({"value": f"{len(table) - MOST} others", "count": rest})
    base = alt.Chart.of(alt.values(shown), title=title).encode(
        x=alt.X("count:Q", title=None, axis=alt.Axis(labels=False, ticks=False, grid=False, domain=False)),
        y=alt.Y("value:N", title=None, sort=None, axis=alt.Axis(ticks=False, domain=False)),
    )
    numbers = base.mark_text(align="left", dx=4, fontSize=12).encode(text=alt.Text("count:Q", format=","))
    return (base.mark_bar(color=colour) + numbers).properties(width=PANEL, height=BAR * max(len(shown), 1))
