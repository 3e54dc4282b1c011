"""The Cube Test: how fast reading satisfies an information need with several subtopics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from leadline.measures.definition import View, measure
from leadline.measures.gains import Lid, Passages, Time, Variant, fill
from leadline.measures.hits import Array, Hits
from leadline.options import Bounds, Share
from leadline.records.other_packages import Theta

Grade = Annotated[int, Bounds(1)] | None


def _view(options: Mapping[str, Any]) -> View:
    variant = options.get("variant", "paper")
    if variant == "trecdd":
        return View(order="file", layout="dynamic", needs=frozenset(["subtopics", "iterations"]))
    if variant == "cikm":
        return View(order="file", needs=frozenset(["subtopics", "words"]))
    if options["time"] == "words":
        return View(needs=frozenset(["subtopics", "words"]))
    if options["time"] == "given":
        return View(needs=frozenset(["subtopics", "seconds"]))
    return View(needs=frozenset(["subtopics"]))


@measure("CT", at="effort", aliases=("CubeTest",), view=_view)
def cube_test(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "equal",
    time: Time = "rank",
    lid: Lid = "relevance",
    max_grade: Grade = None,
    variant: Variant = "paper",
    passages: Passages = "discount",
) -> Array:
    """How fast the first `effort` documents fill the need, pictured as a cube with a compartment for each subtopic.

    Formula: CT@N = gain / time of the first N documents. A document adds θ gamma^k rel to the gain for each subtopic
    it is relevant to: θ is the subtopic's weight, k the number of relevant documents of the subtopic read before, rel
    the grade over `max_grade` (default: the largest grade of the judgements). Once the rel read before sum to 1 the
    compartment is full and takes no more; the document that crosses the lid still counts in full. With grades 0 and 1
    one document fills a compartment, so gamma has no effect unless `max_grade` is larger.

    Weights: `theta` is `equal`; `decay`, 1/log2(1 + i) in the order of the subtopics' names; `halving`, each half the
    one before; `claims`, 1 for a claim and 0.5 for a dependent one, which is a subtopic named CLAIM:PARENT; or `given`,
    a fifth column of the judgements. All are normalised to sum to 1.

    Time: `rank` is one unit per document; `words` is 4.4 + (0.018 words + 7.8) p seconds per document, p = 0.64 for a
    relevant one and 0.39 for another; `150` the same with 150 words each; `top` is always N; `given` is the seconds of
    a reading log, and the default where there is one.

    Lid: `relevance` as above; `height` closes a compartment when the discounted height, with gamma, reaches 1; `off`
    has no lid; instead the t-th document read counts e^(1 - t) of its rel.

    Variants: `cikm` is the script of the paper's authors: gamma^(k + 1), grade over 4, time=words with p = 0.64 for
    every document, lid=height, lines in file order. (For a document of several subtopics the script keeps a
    random one; here all count.) `trecdd` is the scorer of TREC's Dynamic Domain track: grades as they are,
    0 as 1; the passages of a document add as Σ g/log2(i + 1), largest first, or undiscounted with `passages=sum`;
    gamma^(k + 1); a lid at 5, above which gain is lost; gain over 5; N and time count iterations, time ends with the
    run's last. Both ignore the options time and lid.

    Paper: Luo, Wing, Yang and Hearst, The water filling model and the Cube Test: multi-dimensional evaluation for
    professional search, CIKM 2013.

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, so it is not penalised; time=top penalises it.

    Documents of rel ¼ alternate between two subtopics: the second one of each adds 0.1 of its rel; ½ · ¼ · 2.2 / 4.

    >>> from leadline.measures.subtopics import example
    >>> in_turn = example(["a", "b", "c", "d"], {"a": {"1": 1}, "b": {"2": 1}, "c": {"1": 1}, "d": {"2": 1}})
    >>> cube_test(in_turn, effort=4, gamma=0.1, max_grade=4)
    array([0.06875])
    """
    return fill(
        hits,
        effort,
        gamma=gamma,
        theta=theta,
        time=time,
        lid=lid,
        max_grade=max_grade,
        variant=variant,
        passages=passages,
    ).final


@measure("ACT", at="effort", aliases=("avg_CT",), view=_view)
def average_cube_test(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "equal",
    time: Time = "rank",
    lid: Lid = "relevance",
    max_grade: Grade = None,
    variant: Variant = "paper",
    passages: Passages = "discount",
) -> Array:
    """How fast the need fills, averaged over all documents after which a searcher of this `effort` may stop.

    Formula: ACT@N = the mean of CT@k over k = 1 to N, or to the end of a shorter list. The options are those of CT.
    With time=top the time is N at every k. With variant=trecdd it is the mean over the documents of the first N
    iterations, and the time of a document is the number of its iteration.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013; the mean is that of the authors' script and of the Dynamic Domain
    track.

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: the mean is over the documents it has.

    One document fills one of two subtopics at once, the other stays empty: ½ after one document, ¼ after two.

    >>> from leadline.measures.subtopics import example
    >>> average_cube_test(example(["a", "b"], {"a": {"1": 1}, "c": {"2": 1}}))
    array([0.375])
    """
    return fill(
        hits,
        effort,
        gamma=gamma,
        theta=theta,
        time=time,
        lid=lid,
        max_grade=max_grade,
        variant=variant,
        passages=passages,
    ).average


@measure("CT_speed", at="effort", view=_view)
def cube_test_speed(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "equal",
    time: Time = "rank",
    lid: Lid = "relevance",
    max_grade: Grade = None,
    variant: Variant = "paper",
    passages: Passages = "discount",
) -> Array:
    """How fast the need still fills at the document with rank `effort`: is reading on worth it?

    Formula: CT_speed@N = gain of the N-th document / its own time. The options are those of CT. With time=top a
    document takes one unit of time. With variant=trecdd it is the gain of the N-th iteration.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013 (the derivative of gain over time).

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant, so 0.

    Short list: 0 after its end.

    Once one document has filled the first of two subtopics, only the other can still be filled.

    >>> from leadline.measures.subtopics import example
    >>> hits = example(["a", "b", "c"], {"a": {"1": 1}, "b": {"1": 1}, "c": {"1": 1, "2": 1}})
    >>> cube_test_speed(hits, effort=2), cube_test_speed(hits, effort=3)
    (array([0.]), array([0.5]))
    """
    return fill(
        hits,
        effort,
        gamma=gamma,
        theta=theta,
        time=time,
        lid=lid,
        max_grade=max_grade,
        variant=variant,
        passages=passages,
    ).speed


@measure("CT_lgc", at="effort", view=_view)
def cube_test_lgc(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "decay",
    time: Time = "words",
    lid: Lid = "relevance",
    max_grade: Grade = None,
) -> Array:
    """The Cube Test with larger weights for earlier subtopics and reading time by document length.

    Formula: CT with theta=decay, time=words. `lid=off` is the paper's CT_lgc with a bar over the c.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, so it is not penalised.

    >>> from leadline.measures.subtopics import example
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> from leadline.measures.hits import Reading
    >>> hits = example(["a"], {"a": {"1": 1}, "b": {"2": 1}})
    >>> hits = replace(hits, reading=Reading(hits.offsets, words=np.array([500.0])))
    >>> cube_test_lgc(hits).round(4)  # 1 / (1 + 1 / log2(3)) in 4.4 + (9 + 7.8) · 0.64 = 15.152 seconds
    array([0.0405])
    """
    return fill(hits, effort, gamma=gamma, theta=theta, time=time, lid=lid, max_grade=max_grade).final


@measure("CT_pgc", at="effort", view=_view)
def cube_test_pgc(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "claims",
    time: Time = "words",
    lid: Lid = "relevance",
    max_grade: Grade = None,
) -> Array:
    """The Cube Test of a patent's claims: half the weight for dependent ones, reading time by document length.

    Formula: CT with theta=claims, time=words.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, so it is not penalised.

    >>> from leadline.measures.subtopics import example
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> from leadline.measures.hits import Reading
    >>> hits = example(["a"], {"a": {"1": 1}, "b": {"2:1": 1}})
    >>> hits = replace(hits, reading=Reading(hits.offsets, words=np.array([500.0])))
    >>> cube_test_pgc(hits).round(4)  # 2/3 in 4.4 + (9 + 7.8) · 0.64 = 15.152 seconds
    array([0.044])
    """
    return fill(hits, effort, gamma=gamma, theta=theta, time=time, lid=lid, max_grade=max_grade).final


@measure("CT_lac", at="effort", view=_view)
def cube_test_lac(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "decay",
    time: Time = "150",
    lid: Lid = "relevance",
    max_grade: Grade = None,
) -> Array:
    """The Cube Test with larger weights for earlier subtopics and the reading time of 150 words for every document.

    Formula: CT with theta=decay, time=150.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, so it is not penalised.

    >>> from leadline.measures.subtopics import example
    >>> cube_test_lac(example(["a", "b"], {"a": {"1": 1}, "b": {"2": 1}}), effort=2).round(4)  # all in 22.24 seconds
    array([0.045])
    """
    return fill(hits, effort, gamma=gamma, theta=theta, time=time, lid=lid, max_grade=max_grade).final


@measure("CT_ltc", at="effort", view=_view)
def cube_test_ltc(
    hits: Hits,
    effort: int = 10,
    *,
    gamma: Share = 0.5,
    theta: Theta = "decay",
    time: Time = "top",
    lid: Lid = "relevance",
    max_grade: Grade = None,
) -> Array:
    """The Cube Test with larger weights for earlier subtopics, for a searcher who always reads `effort` documents.

    Formula: CT with theta=decay, time=top; default N: 10.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: 0 to 2/N; the cube is full at 1, but documents that cross the lid may take it near 2.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.subtopics import example
    >>> cube_test_ltc(example(["a", "b"], {"a": {"1": 1}, "b": {"2": 1}}))
    array([0.1])
    """
    return fill(hits, effort, gamma=gamma, theta=theta, time=time, lid=lid, max_grade=max_grade).final
