"""The Cube Test: how fast reading fills an information need that has several sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from leadline.measures.aspects import Theta
from leadline.measures.cube import Lid, Passages, Time, Variant, fill
from leadline.measures.hits import Array, Hits
from leadline.measures.measure import View, measure
from leadline.options import Bounds, Share

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
    """How fast the first `effort` documents fill the need, which is a cube with a compartment for each subtopic.

    Formula: CT@N = gain / time of the first N documents. A document adds θ gamma^k rel to the gain for each subtopic
    it bears on: θ is the subtopic's weight, k counts the relevant documents of the subtopic read before, and rel is
    the grade over `max_grade` (the largest grade of the judgements unless given). Once the rel read before sum to 1
    the compartment is full and takes no more; the document that crosses the lid still counts whole. With grades 0
    and 1 one document fills a compartment, so that gamma does nothing unless `max_grade` is larger.

    Weights: `theta` is `equal`; `decay`, 1/log2(1 + i) in the order of the subtopics' names; `halving`, each half the
    one before; `claims`, 1 for a claim and 0.5 for a dependent one, which is a subtopic named CLAIM:PARENT; or `given`,
    a fifth column of the judgements. All are brought to sum to 1.

    Time: `rank` is one unit a document; `words` is 4.4 + (0.018 words + 7.8) p seconds a document, p = 0.64 for a
    relevant one and 0.39 for another; `150` the same with 150 words each; `top` always N; `given` the seconds of a
    reading log, which is what counts wherever there is one and no other time is asked for.

    Lid: `relevance` as above; `height` closes a compartment when the discounted height, with gamma, reaches 1; `off`
    has no lid, and the t-th document read counts e^(1 - t) of its rel instead.

    Variants: `cikm` is the script of the paper's authors: gamma^(k + 1), grade over 4, time=words with p = 0.64 for
    every document, lid=height, lines in file order. (For a document of several subtopics the script keeps only one,
    which one is chance; here all count.) `trecdd` is the scorer of TREC's Dynamic Domain track: grades as they are,
    0 as 1; the passages of a document add as Σ g/log2(i + 1), largest first, or plainly with `passages=sum`;
    gamma^(k + 1); a lid at 5, what flows over is lost; gain over 5; N and time count iterations, time ends with the
    run's last. Both choose the time and the lid themselves.

    Paper: Luo, Wing, Yang and Hearst, The water filling model and the Cube Test: multi-dimensional evaluation for
    professional search, CIKM 2013.

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, and is not punished for ending; time=top punishes it.

    Documents of rel ¼ on two subtopics in turn: each second one of a subtopic adds .1 of its rel; ½ · ¼ · 2.2 / 4.

    >>> from leadline.measures.intents import example
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
    """How fast the need fills, averaged over every moment at which a searcher of this `effort` may stop reading.

    Formula: ACT@N = the mean of CT@k over k = 1 to N, or to the end of a shorter list. The options are those of CT.
    With time=top the time is N at every k. With variant=trecdd it is the mean over the documents of the first N
    iterations, each time being the number of its iteration.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013; the mean is that of the authors' script and of the Dynamic Domain
    track.

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: the mean is over the documents it has.

    One document fills one of two subtopics at once, the other stays empty: ½ after one document, ¼ after two.

    >>> from leadline.measures.intents import example
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
    """How fast the need still fills when the searcher reads the document at this `effort`: is going on worth it?

    Formula: CT_speed@N = gain of the N-th document / its own time. The options are those of CT. With time=top a
    document's share of the time is one unit. With variant=trecdd it is the gain of the N-th iteration.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013 (the derivative of gain over time).

    Range: 0 to 1 with time=rank; otherwise the share of the need filled in a second.

    Unjudged: not relevant, so 0.

    Short list: 0 behind its end.

    Once one document has filled the first of two subtopics, only the other can still be filled.

    >>> from leadline.measures.intents import example
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
    """The Cube Test where earlier subtopics weigh more and reading takes as long as the documents are.

    Formula: CT with theta=decay, time=words. `lid=off` is the paper's CT_lgc with a bar over the c.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, and is not punished for ending.

    >>> from leadline.measures.intents import example
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
    """The Cube Test of a patent's claims: dependent ones weigh half, reading takes as long as the documents are.

    Formula: CT with theta=claims, time=words.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, and is not punished for ending.

    >>> from leadline.measures.intents import example
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
    """The Cube Test where earlier subtopics weigh more and every document takes as long as one of 150 words.

    Formula: CT with theta=decay, time=150.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: the share of the need filled in a second.

    Unjudged: not relevant; the time to read it counts.

    Short list: takes less time, and is not punished for ending.

    >>> from leadline.measures.intents import example
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
    """The Cube Test where earlier subtopics weigh more and the searcher always reads all of the first `effort`.

    Formula: CT with theta=decay, time=top; N is 10 unless said.

    Paper: Luo, Wing, Yang and Hearst, CIKM 2013, table 2.

    Range: 0 to 2/N; the cube is full at 1, but documents that cross the lid may bring it near 2.

    Unjudged: not relevant.

    Short list: as if followed by documents that are not relevant.

    >>> from leadline.measures.intents import example
    >>> cube_test_ltc(example(["a", "b"], {"a": {"1": 1}, "b": {"2": 1}}))
    array([0.1])
    """
    return fill(hits, effort, gamma=gamma, theta=theta, time=time, lid=lid, max_grade=max_grade).final
