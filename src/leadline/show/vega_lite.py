"""Charts as Vega-Lite specifications, put together with Altair's words.

Altair takes most of a second to import, and copies and checks every part of a chart as it is made. Charts of ours are
plain dictionaries, which the tests have Altair check; `Chart.in_altair` is the same chart as Altair has it.

>>> dots = Chart.of(values([{"run": "a", "mean": 0.5}])).mark_point(filled=True).encode(X("mean:Q", title="mean"))
>>> layer(dots).to_dict()["layer"][0]["encoding"]
{'x': {'field': 'mean', 'type': 'quantitative', 'title': 'mean'}}
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from leadline.errors import LeadlineError, shortage_in

Part = dict[str, Any]  # a piece of a specification

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal", "T": "temporal"}
_SHORT = re.compile(r"(?:(?P<aggregate>\w+)\((?P<of>.*)\)|(?P<field>.+)):(?P<type>[QNOT])")


def altair() -> Any:
    """The package altair; an error that says how to install it if it is missing."""
    try:
        return importlib.import_module("altair")
    except ImportError as error:
        if shortage_in(error):
            raise
        raise LeadlineError("a chart needs the package altair: pip install altair") from None


# The parts of a chart. Their options are Vega-Lite's own.


class Channel(Part):
    """What a channel such as x or colour shows."""

    name = ""

    def axis(self, **options: Any) -> Channel:
        """The same with an axis."""
        return self._with("axis", options)

    def legend(self, **options: Any) -> Channel:
        """The same with a legend."""
        return self._with("legend", options)

    def _with(self, name: str, options: Part) -> Channel:
        made = Channel({**self, name: options})
        made.name = self.name
        return made


def _channel(name: str, short: str | Sequence[str] | None = None, /, **options: Any) -> Any:
    """A channel of a field with its type, such as `mean:Q`; a list of them where a channel takes several."""
    if short is not None and not isinstance(short, str):
        return [_channel(name, each, **options) for each in short]
    made = Channel({**({} if short is None else _field(name, short)), **options})
    made.name = name
    return made


def _constant(name: str, value: Any) -> Channel:
    """A channel with the same value for all rows."""
    made = Channel(value=value)
    made.name = name
    return made


def _field(channel: str, short: str) -> Part:
    """The field of a channel; a second end has the type of the first."""
    found = _SHORT.fullmatch(short)
    if found is None:
        raise ValueError(f"{short!r} is not a field and its type, such as mean:Q")
    summed = {"aggregate": found["aggregate"]} if found["aggregate"] else {}
    kind = {} if channel in ("x2", "y2") else {"type": TYPES[found["type"]]}
    return {**summed, "field": found["field"] or found["of"], **kind}


X, Y, X2, Y2 = (partial(_channel, name) for name in ("x", "y", "x2", "y2"))
XOffset, YOffset = (partial(_channel, name) for name in ("xOffset", "yOffset"))
Color, Opacity, Shape, Size = (partial(_channel, name) for name in ("color", "opacity", "shape", "size"))
Text, Tooltip, Detail, Order = (partial(_channel, name) for name in ("text", "tooltip", "detail", "order"))
StrokeDash, StrokeWidth = (partial(_channel, name) for name in ("strokeDash", "strokeWidth"))
XValue, YValue, X2Value, Y2Value = (partial(_constant, name) for name in ("x", "y", "x2", "y2"))
ColorValue = partial(_constant, "color")


def options(**given: Any) -> Part:
    """Options as they are: of a scale, an axis, a legend, a title."""
    return given


Scale = Axis = Legend = OverlayMarkDef = EncodingSortField = options


def title(text: str | Sequence[str], **more: Any) -> Part:
    """A title."""
    return {"text": text, **more}


def expr(expression: str) -> Part:
    """A value that an expression gives."""
    return {"expr": expression}


def value(constant: Any) -> Part:
    """A value that does not depend on the row."""
    return {"value": constant}


def condition(test: str | Part, if_true: Part, if_false: Part) -> Part:
    """One of two, as a test says."""
    return {"condition": {"test": test, **if_true}, **if_false}


def one_of(field: str, among: Sequence[Any]) -> Part:
    """Whether a field is one of some values."""
    return {"field": field, "oneOf": list(among)}


def equals(equal: Any, field: str) -> Part:
    """Whether a field is a value."""
    return {"field": field, "equal": equal}


def unless(test: Part) -> Part:
    """Whether a test fails."""
    return {"not": test}


def param(**given: Any) -> Part:
    """A parameter: its name, and its value or control."""
    return given


binding = options
binding_select = partial(options, input="select")
binding_range = partial(options, input="range")


def values(rows: Sequence[Any]) -> Part:
    """Rows as the data of a chart."""
    return {"values": rows}


def named_data(name: str) -> Part:
    """Data that are found under a name."""
    return {"name": name}


def sequence(start: float, stop: float, *, as_: str) -> Part:
    """Numbers as the data of a chart."""
    return {"sequence": {"start": start, "stop": stop, "as": as_}}


def lookup_data(*, data: Part, key: str, fields: Sequence[str]) -> Part:
    """Data in which the fields of a row are found by a key."""
    return {"data": data, "key": key, "fields": list(fields)}


# The chart. What is changed is always a copy, whose parts are those of the original.


@dataclass(frozen=True)
class Chart:
    """A specification, or a part of one."""

    parts: Part

    @classmethod
    def of(cls, data: Part, **more: Any) -> Chart:
        """A chart of some data."""
        return cls({"data": data, **more})

    def properties(self, **more: Any) -> Chart:
        """The chart with other properties, such as `width` and `title`."""
        return Chart({**self.parts, **more})

    def __getattr__(self, name: str) -> Callable[..., Chart]:
        """`mark_point` and all other marks."""
        if not name.startswith("mark_"):
            raise AttributeError(name)
        return partial(self._marked, name.removeprefix("mark_"))

    def _marked(self, kind: str, **more: Any) -> Chart:
        return self.properties(mark={"type": kind, **more})

    def encode(self, *channels: Channel, **named: Any) -> Chart:
        """The chart with more channels, or other ones."""
        given = {each.name: each for each in channels}
        found = {name: _encoded(name, each) for name, each in {**given, **named}.items()}
        return self.properties(encoding={**self.parts.get("encoding", {}), **found})

    def transform_filter(self, test: str | Part) -> Chart:
        """The chart of the rows that pass a test."""
        return self._transformed({"filter": test})

    def transform_calculate(self, **fields: str) -> Chart:
        """The chart with more fields, from expressions."""
        return self._transformed(*({"calculate": how, "as": name} for name, how in fields.items()))

    def transform_fold(self, fields: Sequence[str], *, as_: Sequence[str]) -> Chart:
        """The chart with a row for each of some fields of a row."""
        return self._transformed({"fold": list(fields), "as": list(as_)})

    def transform_lookup(self, *, lookup: str, from_: Part) -> Chart:
        """The chart with fields from other data."""
        return self._transformed({"lookup": lookup, "from": from_})

    def _transformed(self, *more: Part) -> Chart:
        return self.properties(transform=[*self.parts.get("transform", []), *more])

    def add_params(self, *more: Part) -> Chart:
        """The chart with parameters."""
        return self.properties(params=[*self.parts.get("params", []), *more])

    def __add__(self, other: Chart) -> Chart:
        if set(self.parts) <= {"layer", "params", "datasets"}:
            return _together("layer", [*(Chart(part) for part in self.parts["layer"]), other], self.parts)
        return layer(self, other)

    def to_dict(self) -> Part:
        """The specification: rows are listed by name, those that several parts have only once."""
        datasets: Part = dict(self.parts.get("datasets", {}))
        found: Part = _with_names({name: part for name, part in self.parts.items() if name != "datasets"}, datasets)
        return {"$schema": SCHEMA, **found, "datasets": datasets}

    def in_altair(self) -> Any:
        """The same as a chart of Altair."""
        found = self.to_dict()
        rows = found.pop("datasets")
        chart = altair().Chart.from_dict(found)
        chart.datasets = rows
        return chart

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> Any:
        """What a notebook shows."""
        return self.in_altair()._repr_mimebundle_(*args, **kwargs)


def layer(*charts: Chart) -> Chart:
    """Charts above each other."""
    return _together("layer", charts)


def concat(*charts: Chart, **more: Any) -> Chart:
    """Charts beside each other, in rows."""
    return _together("concat", charts, more)


def hconcat(*charts: Chart) -> Chart:
    """Charts beside each other."""
    return _together("hconcat", charts)


def vconcat(*charts: Chart) -> Chart:
    """Charts below each other."""
    return _together("vconcat", charts)


def _together(how: str, charts: Iterable[Chart], more: Mapping[str, Any] | None = None) -> Chart:
    """Several charts as one, which has their parameters: Vega-Lite wants these, and named rows, on top."""
    made: Part = {**(more or {}), how: []}
    for chart in charts:
        part = dict(chart.parts)
        params = [*made.get("params", []), *part.pop("params", [])]
        if params:
            made["params"] = [each for at, each in enumerate(params) if each not in params[:at]]
        made["datasets"] = {**made.get("datasets", {}), **part.pop("datasets", {})}
        made[how].append(part)
    return Chart({name: part for name, part in made.items() if name != "datasets" or part})


def _encoded(channel: str, given: Any) -> Any:
    """A channel, or several, from what a figure gives; a text is a field."""
    if isinstance(given, str):
        return _field(channel, given)
    return [_encoded(channel, each) for each in given] if isinstance(given, (list, tuple)) else given


def _with_names(part: Any, datasets: Part) -> Any:
    """A part of a specification whose rows are replaced by their names in `datasets`, where they are put."""
    if isinstance(part, dict):
        if part.keys() == {"values"} and isinstance(part["values"], (list, tuple)):
            rows = part["values"]
            name = next((name for name, known in datasets.items() if known is rows or known == rows), None)
            if name is None:
                name = f"data-{len(datasets)}"
                datasets[name] = rows
            return {"name": name}
        return {name: _with_names(each, datasets) if name in _DEEP else each for name, each in part.items()}
    return [_with_names(each, datasets) for each in part] if isinstance(part, list) else part


_DEEP = {"data", "layer", "concat", "hconcat", "vconcat"}  # where charts have data
