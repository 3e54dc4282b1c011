"""Sentence patterns of patents. Content words are slots; the function words between them are English.

Slots: <N> a general noun, <M> in the plural; <T> a technical noun, <U> in the plural; <A> an adjective; <V> a verb, <S>
with -s, <D> with -ed, <G> with -ing; <C> a concept by one of its names, <K> in the plural; <#> a number. <n>, <t> and
<a> are as the capitals, with an indefinite article before them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

SLOTS = "NMTUAVSDGCK#nta"
MENTIONS = "CK"
MAX_SLOTS = 12

TITLE = """
<A> <T> with <C> and method for <G> <U>
Method for <G> <C> in <a> <T>
<C> and <T> comprising <C>
Use of <C> for <G> <A> <U>
<A> <T> having <C>
"""
ABSTRACT = """
The invention provides <a> <T> comprising <C> and <C>, wherein <U> of the <C> are <D> to <a> <T> <N>.
Disclosed are <a> <T> and <N> <M> for <G> <U>, in which <C> is <D> by <C> at <a> <N>.
The <C> is <D> in <A> <N> <M>, so that <U> are <D> without <G> <t> <N>.
In addition, <C> may be <D> with <A> <T> <M> in order to <V> <N> <M>.
The <T> <N> shows improved <M>, is <D> with little <N>, and suits <A> <U>.
"""
BACKGROUND = """
The present invention relates to the field of <U>, more particularly to <A> <U> for <G> <T> <M>.
It is known to <V> the <N> <M> of <t> by means of <K>, but <A> <N> <M> are often not <D>.
Conventional <U> use <C>, which has the disadvantage that <A> <N> <M> must be <D> before <G> <U>.
In recent years <C> has been <D> for this purpose, being less expensive than <t> with <A> <M>.
However, <N> <M> of <U> known from the prior art are limited by the <A> <N> and its <M>.
There is therefore a need for <t> that <S> the <N> and can be <D> in <a> <N> at low cost.
One problem with <C> is that it <S> when the <A> <T> is <D> over long <M>.
Attempts have been made to <V> <A> <T> <M>, and to <V> the <N> of the <U> in other ways.
"""
SUMMARY = """
It is an object of the invention to provide <t> whose <A> <N> <M> are <D> by <C> and <C>.
According to the invention, this object is achieved by <C>, which is <D> to the <T>, together with <C>.
The invention also provides <a> <N> for <G> the <T> with <C>, in which <C> is <D> for <#> minutes or more.
In a further aspect, <t> comprises several <K> and <N> <M> for <G> the <C> from the <A> <U>.
Advantageously, <C> need not be <D> separately, and the <M> of the <T> remain low.
"""
EMBODIMENT = """
In one embodiment, <C> is <D> on the <A> <T> and contacts <C>.
The <C> may be any that can <V> <A> <U>, for example one <D> before <G> <T> <M>.
As shown in figure <#>, <t> has <a> <N> which <S> the <C>, and the <A> <U> are <D> by the <M>.
If <C> is used in amounts of less than <#> per cent, the <M> of the <C> are not sufficient.
Preferably, the <M> of the <C> lie between <#> and <#>, so that <a> <T> can be <D>.
The <A> <U> are then <D> by the <K> until the <M> of the <C> have been <D> to about <#>.
When <C> is in <a> <N>, <C> is <D> with respect to the <T>.
It will be understood that <C> can also be <D> between the <C> and the <T>.
At least two <K> and the <C> are <D> in the same <N>, each having <a> <T>.
At the end of the <T>, <a> <N> is provided, where the <C> is <D> by <N> <M>.
Instead of such <K>, it is possible to <V> the <T> with <C> or with <C>.
The <N> <M> depend on the <C> as well as on the <U>, which is why <T> <M> should be <D> first.
Suitable are <U> with one or more <K>, in particular those in which the <T> <M> are <D> by <C>.
The <T> can further have <C>, <C> and <C>, as is known to those skilled in the art.
"""
EXAMPLE = """
In this example, <#> parts of the <C> were <D> with <C> at <#> degrees for <#> hours.
Similarly, <A> <U> were <D>, except that other <K> were added in amounts of <#> per cent by weight.
After <G> the <T> for <#> minutes, <C> was <D> from <C> and the <M> were measured.
With <C>, the <M> of the <A> <T> were found to be <#>, while those of <U> were only <#>.
These results show that <t> with <C> has better <N> <M> than <U> <D> without <A> <M>.
"""
CLOSING = """
While the invention has been described with reference to certain embodiments, changes may be made to the <A> <U>.
The foregoing is illustrative, and the scope of the invention is defined by the claims that follow.
Many other <T> <M> will be apparent to those skilled in the art, and are within the scope of the claims.
"""
PARTS = (TITLE, ABSTRACT, BACKGROUND, SUMMARY, EMBODIMENT, EXAMPLE, CLOSING)
IN_TITLE, IN_ABSTRACT, IN_BACKGROUND, IN_SUMMARY, IN_EMBODIMENT, IN_EXAMPLE, IN_CLOSING = range(len(PARTS))
HEADINGS = ("", "", "BACKGROUND", "SUMMARY", "DETAILED DESCRIPTION", "EXAMPLES", "")


@dataclass(frozen=True)
class Patterns:
    """All sentences as formats for `%`, and their slots as indices into SLOTS."""

    formats: NDArray[np.object_]
    slots: NDArray[np.int8]  # sentence, place: -1 after the last
    counts: NDArray[np.int64]
    first: NDArray[np.int64]  # where the sentences of each part begin, and where the last part ends


@cache
def patterns() -> Patterns:
    """The sentences of all parts, one part after the other."""
    parts = [part.strip().splitlines() for part in PARTS]
    sentences = [sentence for part in parts for sentence in part]
    slots = np.full((len(sentences), MAX_SLOTS), -1, np.int8)
    for row, sentence in enumerate(sentences):
        found = re.findall(r"<(.)>", sentence)
        slots[row, : len(found)] = [SLOTS.index(mark) for mark in found]
    formats = np.array([re.sub(r"<.>", "%s", sentence.replace("%", "%%")) for sentence in sentences], object)
    first = np.cumsum([0, *map(len, parts)])
    return Patterns(formats, slots, (slots >= 0).sum(axis=1), first)
