"""Reference pages of the documentation site, made from the program: measures, commands, and the public Python names."""

from __future__ import annotations

import contextlib
import html
import inspect
import io
import os
import re
import types
from collections.abc import Iterator
from unittest import mock

import leadline
from leadline.cli import main
from leadline.commands import command_files, grouped, summary
from leadline.commands.shared.signature import described
from leadline.measures.definition import MEASURES, Definition, Measure
from leadline.measures.explain import Breakdown, measure_to_explain, options_of, sections, worked_example

FIGURES = {
    "PRES": ("pres_area", "pres_surface", "pres_rr"),
    "CT": ("claims_cube", "gamma"),
    "R": ("recall_effort",),
    "AP": ("precision_recall",),
}  # the figures of the report that show a measure
EXPLAINED = {
    "cube_test": "cube-test.md",
    "effort": "reviewing.md",
    "reviewing": "reviewing.md",
    "xinfap": "pools.md",
    "infndcg": "pools.md",
    "statap": "pools.md",
    "inferred_counts": "pools.md",
}  # a family of measures: the page that says more
SUBMODULES = ("measures", "models", "steps", "readers", "figures")
WIDTH, HEIGHT, SLOT = 640, 210, 56  # of a picture, and of a rank within it


def measure_pages() -> dict[str, str]:
    """A page for each measure, and a page that lists them by family."""
    families: dict[str, list[Definition]] = {}
    for definition in MEASURES.values():
        families.setdefault(definition.family, []).append(definition)
    lines = [
        "# Measures", "",
        f"{len(MEASURES)} measures. `leadline explain NAME` prints the same pages; `leadline measures` lists them with "
        "their options.", "",
    ]  # fmt: skip
    for family, members in sorted(families.items()):
        lines += [f"## {_heading(family, members)}", "", "| measure | what it says |", "|:---|:---|"]
        lines += [f"| [{one.name}]({one.name}.md) | {_cell(one.meaning)} |" for one in members]
        lines.append("")
    pages = {f"measures/{name}.md": _measure_page(definition) for name, definition in MEASURES.items()}
    return {"measures/index.md": "\n".join(lines), **pages}


def _heading(family: str, members: list[Definition]) -> str:
    """The name of a family as a heading: written as the measure that has it, or as words.

    >>> _heading("pres", [MEASURES["PRES"]]), _heading("average_precision", [MEASURES["AP"]])
    ('PRES', 'Average precision')
    """
    known = {one.name.lower().replace("_", ""): one.name for one in members}
    return known.get(family.replace("_", ""), family.replace("_", " ").capitalize())


def _measure_page(definition: Definition) -> str:
    measure = _example_measure(definition)
    text = sections(definition)
    also = ", ".join(f"`{name}`" for name in definition.aliases)
    lines = [f"# {definition.name}", "", html.escape(text.pop("Meaning"), quote=False), ""]
    lines += [f"Also written {also}.", ""] if also else []
    lines += ["| | |", "|:---|:---|"]
    lines += [f"| **{heading}** | {_cell(content)} |" for heading, content in text.items()]
    lines += [f"| **Better** | {definition.better} |", ""]
    if given := options_of(measure):
        lines += ["## Options", "", f"The values are those of `{measure.text}`.", ""]
        lines += ["| option | value | may be |", "|:---|:---|:---|"]
        lines += [f"| {name.replace(' (after @)', ', after `@`')} | {value} | {_cell(_words(kinds))} |"
                  for name, value, kinds in given]  # fmt: skip
        lines.append("")
    lines += [*_example(measure), "```console", f'$ leadline explain "{measure.text}"', "```", ""]
    seen = [f"[{name.replace('_', ' ')}](../gallery.md#{name})" for name in FIGURES.get(definition.name, ())]
    more = [f"[{EXPLAINED[definition.family]}](../{EXPLAINED[definition.family]})"] if definition.family in EXPLAINED \
        else []  # fmt: skip
    lines += [f"See also: {', '.join([*seen, *more, '[all measures](index.md)'])}.", ""]
    return "\n".join(lines)


def _example_measure(definition: Definition) -> Measure:
    """The measure with a cutoff that says something about a list of ten documents."""
    measure = measure_to_explain(definition.name)
    return measure_to_explain(f"{measure.text}@10") if (measure.cutoff or 0) > 10 else measure


def _example(measure: Measure) -> list[str]:
    story, parts = worked_example(measure)
    lines = ["## A worked example", "", f"{story[0].upper()}{story[1:]}.", "", picture(parts), ""]
    lines += ["| document | grade | rank | adds |", "|:---|---:|---:|---:|"]
    if abs(parts.before) > 1e-12:
        lines.append(f"| (start) | | | {parts.before:.4f} |")
    lines += [f"| {term.document} | {term.grade} | {term.rank or 'not found'} | {term.adds:.4f} |"
              for term in parts.terms]  # fmt: skip
    if abs(parts.after) > 1e-12:
        lines.append(f"| (below the last relevant) | | | {parts.after:.4f} |")
    return [*lines, f"| **{measure.text}** | | | **{parts.value:.4f}** |", ""]


def picture(parts: Breakdown) -> str:
    """The worked example as SVG, in the colours of the page: a bar at each rank, as high as what its document adds."""
    adds = [term.adds for term in parts.terms]
    most, least = max([*adds, 0.0]), min([*adds, 0.0])
    scale = (HEIGHT - 110) / ((most - least) or 1.0)
    zero = 56 + most * scale
    said = f"What each relevant document adds to {parts.measure}, by rank; the score is {parts.value:.4f}"
    svg = [
        '<div class="measure">',
        f'<svg class="measure" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(said)}">',
        f'<text x="10" y="14">{html.escape(parts.measure)} = {parts.value:.4f}: what each document adds</text>',
        f'<line x1="10" x2="{10 + 11 * SLOT}" y1="{zero:.1f}" y2="{zero:.1f}"/>',
    ]
    places = [*map(str, range(1, 11)), "missed"]
    svg += [
        f'<text class="rank" x="{10 + (at + 0.5) * SLOT:.0f}" y="{HEIGHT - 22}">{place}</text>'
        for at, place in enumerate(places)
    ]
    svg.append(f'<text class="rank" x="{10 + 5 * SLOT:.0f}" y="{HEIGHT - 4}">rank in the list</text>')
    for term in parts.terms:
        centre = 10 + ((term.rank or 11) - 0.5) * SLOT
        top, height = min(zero, zero - term.adds * scale), abs(term.adds * scale)
        kind = "found" if term.rank else "missed"
        svg.append(
            f'<rect class="{kind}" x="{centre - 17:.1f}" y="{top:.1f}" width="34" height="{max(height, 1):.1f}"/>'
        )
        label = f"{term.document}: {term.adds:.3g}" if term.rank else term.document
        svg.append(f'<text class="rank" x="{centre:.1f}" y="{top - 6:.1f}">{label}</text>')
    return "".join([*svg, "</svg></div>"])


def command_pages() -> dict[str, str]:
    """A page with the help of every command, by job."""
    files = command_files()
    lines = ["# Commands", "", "What `leadline COMMAND --help` prints.", ""]
    for job, names in grouped(files).items():
        lines += [f"## {job}", "", "| command | what it does |", "|:---|:---|"]
        lines += [f"| [`leadline {name}`](#leadline-{name.replace(' ', '-')}) | {_cell(summary(files[name]))} |"
                  for name in names] + [""]  # fmt: skip
        for name in names:
            lines += [f"### leadline {name} {{ #leadline-{name.replace(' ', '-')} }}", "", "```text", help_of(name)]
            lines += ["```", ""]
    return {"commands.md": "\n".join(lines)}


def help_of(command: str) -> str:
    """What `leadline COMMAND --help` prints, 100 letters wide and without colours."""
    printed = io.StringIO()
    with (
        mock.patch.dict(os.environ, {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}),
        contextlib.redirect_stdout(printed),
        contextlib.suppress(SystemExit),
    ):
        main([*command.split(), "--help"])
    return printed.getvalue().rstrip()


def api_pages() -> dict[str, str]:
    """A page with every public name of `leadline`, and one for each public submodule."""
    pages = {}
    for name in ("", *SUBMODULES):
        module = getattr(leadline, name) if name else leadline
        place = f"leadline.{name}" if name else "leadline"
        about = _first_paragraph(inspect.getdoc(module) or "")
        lines = [f"# {place}", "", about, ""]
        if not name:
            listed = ", ".join(f"[`leadline.{one}`](leadline.{one}.md)" for one in SUBMODULES)
            lines += [
                f"[The guide](../python.md) explains; this page lists every public name. Submodules: {listed}.",
                "",
            ]
        members = [(one, getattr(module, one)) for one in module.__all__]
        kinds = {
            "Functions": [(one, member) for one, member in members if inspect.isroutine(member)],
            "Classes": [(one, member) for one, member in members if inspect.isclass(member)],
        }
        for heading, found in kinds.items():
            if found:
                lines += [f"## {heading}", ""]
                for one, member in sorted(found, key=lambda pair: pair[0].lower()):
                    lines += _member(one, member)
        pages[f"api/{place}.md"] = "\n".join(lines)
    return pages


def _member(name: str, member: object) -> list[str]:
    lines = [f"### {name} {{ #{name} }}", "", *_signature(name, member), *docstring(member)]
    if inspect.isclass(member):
        for one, attribute in _public_attributes(member):
            shown = "" if isinstance(attribute, property) else _parameters(attribute)
            lines += ["```py", f"{name}.{one}{shown}", "```", "", _first_paragraph(inspect.getdoc(attribute) or ""), ""]
    return lines


def _public_attributes(kind: type) -> Iterator[tuple[str, object]]:
    for name, attribute in vars(kind).items():
        is_callable = inspect.isfunction(attribute) or isinstance(attribute, (classmethod, staticmethod))
        if not name.startswith("_") and (is_callable or isinstance(attribute, property)):
            found = getattr(kind, name) if is_callable else attribute
            if inspect.getdoc(found):
                yield name, found


def _signature(name: str, member: object) -> list[str]:
    if inspect.isclass(member) and issubclass(member, BaseException):
        return []
    shown = _parameters(member)
    return ["```py", f"{name}{shown}", "```", ""] if shown else []


def _parameters(member: object) -> str:
    """The parameters of a function or class as they are written; nothing where Python does not know them."""
    if not callable(member):
        return ""
    try:
        signature = inspect.signature(member)
    except (TypeError, ValueError):
        return ""
    shown: list[str] = []
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    for at, parameter in enumerate(signature.parameters.values()):
        is_named = parameter.kind is parameter.KEYWORD_ONLY
        if is_named and not {parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL} & set(kinds[:at]):
            shown.append("*")
        if not parameter.name.startswith("_"):
            shown.append(_parameter(parameter))
    given = signature.return_annotation
    returned = "" if given is signature.empty or inspect.isclass(member) else f" -> {_type(given)}"
    line = f"({', '.join(shown)}){returned}"
    return line if len(line) < 90 or len(shown) < 2 else "(\n    " + ",\n    ".join(shown) + f",\n){returned}"


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    kind = "" if parameter.annotation is parameter.empty else f": {_type(parameter.annotation)}"
    has_default = parameter.default is not parameter.empty
    default = f" = {re.sub(r' at 0x[0-9a-f]+', '', repr(parameter.default))}" if has_default else ""
    return f"{stars}{parameter.name}{kind}{default if kind else default.replace(' ', '')}"


def _type(annotation: object) -> str:
    return annotation.strip("'\"") if isinstance(annotation, str) else inspect.formatannotation(annotation)


def docstring(member: object) -> list[str]:
    """A docstring as Markdown: paragraphs, parameters as a list, and doctests as blocks."""
    if isinstance(member, types.ModuleType):
        return []
    lines: list[str] = []
    is_code = False
    for paragraph in re.split(r"\n\s*\n", inspect.getdoc(member) or ""):
        was, is_code = is_code, paragraph.lstrip().startswith(">>>")
        if is_code:
            lines += ["```pycon", inspect.cleandoc(paragraph), "```", ""]
        elif was and paragraph.startswith(" "):
            continue
        elif parameters := described(paragraph):
            lines += [*(f"- `{name}`: {_escaped(text)}" for name, text in parameters.items()), ""]
        else:
            lines += [_escaped(" ".join(paragraph.split())), ""]
    return lines


def _words(kind: str) -> str:
    """The type of an option without Python's notation.

    >>> _words("typing.Optional[int]"), _words("collections.abc.Mapping[str, float]")
    ('int or none', 'Mapping[str, float]')
    """
    return re.sub(r"Optional\[(\w+)\]", r"\1 or none", re.sub(r"\b(?:typing|collections\.abc)\.", "", kind))


def _first_paragraph(text: str) -> str:
    return _escaped(" ".join(text.split("\n\n", maxsplit=1)[0].split()))


def _escaped(text: str) -> str:
    """Text in which nothing but `code` is Markdown."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if at % 2 else re.sub(r"([*_<\[])", r"\\\1", part) for at, part in enumerate(parts))


def _cell(text: str) -> str:
    return _escaped(text).replace("|", "\\|")
