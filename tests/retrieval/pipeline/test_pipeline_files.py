"""Pipelines in files: every step can be written and read again; systems by name; wrong files."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from leadline.collections.documents.families import TOO_LATE, DateRule
from leadline.errors import InputError
from leadline.retrieval.pipeline import steps
from leadline.retrieval.pipeline.context import SearchContext
from leadline.retrieval.pipeline.named_systems import read_pipeline, settings, system, systems
from leadline.retrieval.pipeline.pipeline import STEPS, pipeline_of
from leadline.retrieval.pipeline.steps import (
    BestTerms,
    Citations,
    Claims,
    Dates,
    Fuse,
    OneAFamily,
    Search,
    Text,
)

WHOLE = Text() >> Search()
TOPIC = "EP1000000A1"


def found(context: SearchContext, pipeline, topic=TOPIC) -> list[str]:
    name = topic if isinstance(topic, str) else topic.id
    return [document for document, _ in pipeline.run(context, [topic]).ranking(name)]


def test_every_step_survives_being_written(context: SearchContext) -> None:
    for name, kind in STEPS.items():
        assert (kind.__doc__ or "x")[0].isupper(), name
    words, claims = BestTerms({"title": 5}) >> Search("bm25f(b=0.5)", {"title": 2}), Claims() >> Search(several="best")
    fused = Fuse([words, claims], "linear", (0.3, 0.7))
    pipeline = fused >> Dates("priority") >> Citations(seen="all") >> OneAFamily()
    written = json.loads(json.dumps(settings(pipeline)))
    assert pipeline_of(written) == pipeline
    assert found(context, pipeline_of(written)) == found(context, pipeline)


def test_every_step_and_rule_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs/pipelines.md").read_text(encoding="utf-8")
    own = {name: kind for name, kind in STEPS.items() if hasattr(steps, kind.__name__)}
    assert len(own) == len(steps.__all__) - 2  # all but Step and Pipeline
    for name, kind in own.items():
        assert f"| `{name}` | `{kind.__name__}` |" in page
    assert list(TOO_LATE) == list(get_args(DateRule))
    for rule in TOO_LATE:
        assert f"| `{rule}`" in page
    for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL):
        written = tomllib.loads(block)
        assert pipeline_of(written["steps"], "page", written.get("parts", {})).steps


TOML = """
about = "words and claims together"
steps = [
  {step = "fuse", how = "combmnz", of = ["words", "each claim", [{step = "text", fields = "title"}, "search"]]},
  "one_a_family",
]
[parts]
words = ["text", {step = "search", model = "bm25(k1=0.9)", fields = {title = 2, abstract = 1}}]
"each claim" = ["claims", {step = "search", several = "best"}]
"""


def test_a_pipeline_in_a_file(tmp_path: Path, context: SearchContext) -> None:
    (tmp_path / "mine.toml").write_text(TOML)
    words = Text() >> Search("bm25(k1=0.9)", {"title": 2, "abstract": 1})
    claims = Claims() >> Search(several="best")
    expected = Fuse([words, claims, Text(["title"]) >> Search()], "combmnz") >> OneAFamily()
    assert system(str(tmp_path / "mine.toml")) == expected


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("steps = [", "is not readable TOML"),
        ("stops = []", "'stops' is not one of about, steps, parts; did you mean steps?"),
        ("about = 'x'", "has no `steps`"),
        ("steps = []", "has no steps"),
        ("steps = [3]", "3 is not a step"),
        ("steps = ['serch']", "step: 'serch' is not one of .*; did you mean search?"),
        ("steps = [{step = 'search', modle = 'bm25'}]", "'modle'; did you mean model. .it has: model, fields"),
        ("steps = [{step = 'search', model = 'bm52'}]", "model: 'bm52' is not one of .*; did you mean bm25?"),
        ("steps = [{step = 'search', model = 'bm25(k=1)'}]", "bm25: .* 'k'; did you mean k1. .it has: k1, b, variant"),
        ("steps = [{step = 'search', model = 'bm25(1)'}]", r"is not written like bm25\(k1=0.9, b=0.4\)"),
        ("steps = [{step = 'search', depth = 0}]", "search: depth must be at least 1, got 0"),
        ("steps = [{step = 'search', depth = 'all'}]", "search: depth must be a whole number, got 'all'"),
        ("steps = [{step = 'search', fields = 3}]", "fields must be a table of names, .* or a list of names, got 3"),
        ("steps = [{step = 'search', fields = {title = -1}}]", "search: fields must be at least 0, got -1"),
        ("steps = [{step = 'rm3', weight = 2}]", "rm3: weight must be between 0 and 1, got 2"),
        ("steps = [{step = 'dates', by = 'number alone'}]", "dates: by must be .*; did you mean numbers alone?"),
        ("steps = [{step = 'fuse', of = 'words'}]", "step: 'words' is not one of"),
        ("steps = [{step = 'fuse', of = ['a']}]\nparts = {a = [{step = 'fuse', of = ['a']}]}", "'a' contains itself"),
        ("steps = ['text']\nparts = {search = ['text']}", "a part has the name of the step 'search'"),
        ("steps = [{step = 'fuse', of = ['text'], weights = [1, 2]}]", "fuse: weights: must be 1, one per pipeline"),
        ("steps = ['fuse']", "fuse: of: name the pipelines to combine"),
        ("steps = ['either']", "either: name both pipelines"),
        ("steps = ['elsewhere']", "elsewhere: name an index"),
        ("steps = ['run']", "run: file: name the file of a run"),
    ],
)  # fmt: skip
def test_wrong_files_are_one_clear_line(written: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(written)
    with pytest.raises(InputError, match=words) as error:
        read_pipeline(str(tmp_path / "wrong.toml"))
    assert "\n" not in str(error.value)


def test_systems_are_known_by_name() -> None:
    assert "baseline" in systems()
    for name in systems():
        assert system(name).steps
    with pytest.raises(InputError, match=r"system: 'basline' is not one of .*; did you mean baseline\?"):
        system("basline")
