"""Models, steps and systems are written with their options as measures are: NAME(option=value)."""

from __future__ import annotations

from pathlib import Path

import pytest

from leadline.errors import LeadlineError
from leadline.measures.definition import parse_measure
from leadline.retrieval.models.searcher import parse_model
from leadline.retrieval.pipeline.named_systems import read_pipeline, system
from leadline.retrieval.pipeline.pipeline import pipeline_of


def test_a_measure_and_a_model_take_the_same_text() -> None:
    assert parse_measure("nDCG(gain = exp)@10").options["gain"] == "exp"
    assert parse_model("bm25(variant = robertson)") == ("bm25", {"variant": "robertson"})
    assert parse_model("bm25(k1=1, b=0.4, variant='lucene')") == ("bm25", {"k1": 1.0, "b": 0.4, "variant": "lucene"})


def test_steps_as_text_are_those_of_a_table() -> None:
    as_text = pipeline_of(["text(fields=[title, claims])", "search(model=bm25(k1=0.9, b=0.4), depth=50)", "cut(k=10)"])
    as_table = pipeline_of(
        [
            {"step": "text", "fields": ["title", "claims"]},
            {"step": "search", "model": "bm25(k1=0.9, b=0.4)", "depth": 50},
            {"step": "cut", "k": 10},
        ]
    )
    assert as_text == as_table
    assert pipeline_of("search(fields={title: 2, claims: 1})") == pipeline_of(
        {"step": "search", "fields": {"title": 2, "claims": 1}}
    )


def test_a_file_takes_steps_with_options(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('steps = ["text", "search(model=dirichlet(mu=500))", "cut(k=5)"]')
    steps = read_pipeline(str(file)).steps
    assert (steps[1].model, steps[2].k) == ("dirichlet(mu=500)", 5)  # type: ignore[attr-defined]


def test_a_system_with_a_variant_or_with_options_of_its_model() -> None:
    assert system("bitem(variant=claims)") == system("bitem:claims")
    changed = system("bm25+rm3(k1=0.9, variant=robertson)")
    assert "bm25(k1=0.9, variant=robertson)" in repr(changed)
    assert repr(changed).replace("bm25(k1=0.9, variant=robertson)", "bm25") == repr(system("bm25+rm3"))


@pytest.mark.parametrize(
    ("make", "text", "message"),
    [
        (parse_model, "bm25(k=1)", "bm25: has no option 'k'; did you mean k1? (it has: k1, b, variant)"),
        (parse_model, "bm25(variant=other)", "bm25: variant must be "),
        (parse_model, "bm25(k1=x)", "bm25: k1 must be a number, got 'x'"),
        (parse_model, "bm25(1)", "model: 'bm25(1)' is not written like bm25(k1=0.9, b=0.4)"),
        (parse_model, "bm25(k1=1, k1=2)", "model: bm25(k1=1, k1=2): k1 is given twice"),
        (parse_model, "bm25(k1=1", "model: 'bm25(k1=1' is not written like"),
        (pipeline_of, "cut(depth=1)", "cut: has no option 'depth' (it has: k)"),
        (pipeline_of, "cut(k=0)", "cut: k must be at least 1, got 0"),
        (pipeline_of, "fuse(parts=text)", "fuse: "),
        (system, "bitem(varient=claims)", "bitem: has no option 'varient'; did you mean variant? (it has: variant)"),
        (system, "bitem(variant=x)", "'x'"),
        (system, "bm25(c=1)", "bm25: has no option 'c'"),
        (system, "nothing(k1=1)", "'nothing'"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_what_there_is(make, text: str, message: str) -> None:
    with pytest.raises(LeadlineError) as caught:
        make(text)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
