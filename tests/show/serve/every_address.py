"""Every answer that a person can get from an application, whatever addresses it has."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

Values = Mapping[str, Sequence[str]]
CLOCK = re.compile(r"(?<=expires=)[^;]*")  # of a cookie that is taken back
MOMENT = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")  # of one's own mark
Answers = dict[str, tuple[int, list[tuple[str, str]], bytes]]


def routes(app: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The address of each route, and the route; those of the desks that a lab has opened too."""
    for route in app.routes:
        if hasattr(route, "dependant"):
            yield f"{prefix}{route.path}", route
        else:
            for place, inner in route.app._apps.items():
                yield from routes(inner, f"{prefix}{route.path}/{place.name.partition('.')[0]}")


def parameters(dependant: Any, kind: str) -> dict[str, bool]:
    """The names of the parameters of a route, each with whether it must be given."""
    found = {each.name: each.field_info.is_required() for each in getattr(dependant, kind)}
    for inner in dependant.dependencies:
        found |= parameters(inner, kind)
    return found


def addresses(path: str, route: Any, values: Values) -> Iterator[str]:
    """A route's address with each value of its parameters: those that must be given together, the others one by one."""
    places = parameters(route.dependant, "path_params")
    asked = parameters(route.dependant, "query_params")
    needed = [name for name in asked if asked[name]]
    unknown = {*places, *needed} - set(values)
    assert not unknown, f"{path} has a parameter that no value is known for: {unknown}"
    for chosen in itertools.product(*(values[name] for name in places)):
        filled = path
        for name, value in zip(places, chosen, strict=True):
            filled = filled.replace(f"{{{name}}}", quote(value)).replace(f"{{{name}:path}}", quote(value))
        for given in itertools.product(*(values[name] for name in needed)):
            base = dict(zip(needed, given, strict=True))
            yield f"{filled}?{urlencode(base)}"
            for name in asked:
                if not asked[name]:
                    yield from (f"{filled}?{urlencode({**base, name: value})}" for value in values.get(name, ()))


def answers(client: Any, app: Any, values: Values, sent: Sequence[Mapping[str, Any]] = ()) -> Answers:
    """What each address answers: what is asked for, then what is sent is `sent`, then what is asked for again."""
    found: Answers = {}

    def keep(key: str, answer: Any) -> None:
        headers = [(name, CLOCK.sub("", value)) for name, value in answer.headers.multi_items()]
        found[key] = (answer.status_code, headers, MOMENT.sub(b"", answer.content))

    known = list(routes(app))
    for turn in ("before", "after"):
        for path, route in known:
            if "GET" in route.methods:
                for address in addresses(path, route, values):
                    keep(f"{turn} {address}", client.get(address, follow_redirects=False))
        if turn == "before":
            for path, route in known:
                if "POST" in route.methods:
                    for number, content in enumerate(sent):
                        form = "json" if "/api/" in path else "data"
                        about = {**content, "id": f"{content['id']}-{number}-{len(found)}"}
                        for address in addresses(path, route, values):
                            keep(f"{address} {number}", client.post(address, **{form: about}, follow_redirects=False))
    return found


def differing(first: Answers, second: Answers) -> list[str]:
    """The addresses that two walks were answered differently."""
    assert first.keys() == second.keys()
    return [key for key in first if first[key] != second[key]]
