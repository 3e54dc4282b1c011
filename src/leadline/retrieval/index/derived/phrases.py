"""Noun phrases, found without grammar: chunks of words between the words that no noun phrase holds.

A chunk is a run of words with nothing but a blank or a hyphen between them, none of which is a common word (the
analysis' own list), a verb that patents use, an adverb or a number. Participles at its end go, for they belong to a
verb: of "the steel plate coated with" remains "steel plate". From each chunk come its neighbouring pairs, so that "fuel
injection valve" is found by "injection valve", and the whole chunk where it has three to five words. Words are stemmed
and a phrase is one term, with a blank between the stems: no word of another field is like that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.characters import joined
from leadline.retrieval.index.occurrences import Found, Occurrences

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONGEST = 5  # words of a whole chunk; a longer one is a list or a table
BREAK, MODIFIER, NOUN = 0, 1, 2
# Verbs that stand between noun phrases in patents, by their stem; each with its endings below.
_VERBS = """
accord achiev allow appear appli apply arrang becom begin bring caus choos claim compris connect consist constitut
contain correspond defin depend describ desir determin disclos dispos employ enabl ensur exceed exhibit exist extend
form give given has illustrat includ indicat involv know known lead lie made mak mean mention obtain occur perform
permit possess prefer prevent produc provid receiv refer relat remain represent requir result see select serv set show
shown suffici suit take taken tend use used using util utiliz utilis vary vari yield
"""
_ENDINGS = ("", "e", "s", "es", "ed", "d", "ing", "ies", "ied")
_VERB_FORMS = frozenset(verb + ending for verb in _VERBS.split() for ending in _ENDINGS)
# Words that say nothing about the thing: "first plate", "plurality of", "figure 3".
_WITHOUT_SENSE = """
    above accordance across addition advantage along among another aspect case certain combination conventional
    corresponding different eight embodiment embodiments etc example examples fig figs figure figures first five
    following four get hereby herein hereinafter instead invention kind least like many means nine number particular
    plurality possible preferable preferred present rather respective said second seven several similar since six
    suitable ten third three throughout toward towards two type typical various want well
"""
_EMPTY = frozenset(_WITHOUT_SENSE.split())
_FINAL_LY = ("assembly", "supply", "family", "anomaly", "butterfly", "fly", "poly", "ply", "reply", "belly", "jelly")


def kind_of(word: str) -> int:
    """What a word is to a noun phrase: it breaks it, may stand in it but not at its end, or may end it.

    >>> [kind_of(word) for word in ("valve", "coated", "comprises", "rapidly", "assembly", "12")]
    [2, 1, 0, 0, 2, 0]
    """
    if word in _EMPTY or word in _VERB_FORMS or len(word) < 2:
        return BREAK
    if not word[0].isalpha() and not any(letter.isalpha() for letter in word):
        return BREAK  # a number; 2-butanol is not one
    if word.endswith("ly") and not word.endswith(_FINAL_LY):
        return BREAK
    return MODIFIER if word.endswith("ed") and not word.endswith("eed") and len(word) > 4 else NOUN


def phrases(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The noun phrases of texts: the pairs of every chunk, then the whole chunks, text by text."""
    found = Found.of(*joined(texts), analysis.words)
    reduced = analysis.reduced(found.words)
    kinds = np.array(
        [kind_of(word.decode()) if term else BREAK for word, term in zip(found.words, reduced, strict=True)], np.int8
    )
    stems = sorted({*reduced})
    number = {stem: place for place, stem in enumerate(stems)}
    stem_of = np.array([number[term] for term in reduced], np.int64)
    kind, stem = kinds[found.codes], stem_of[found.codes]
    first, last = _chunks(kind, linked(found) & (kind[:-1] != BREAK) & (kind[1:] != BREAK))
    return _phrases(first, last, kind, stem, stems, found.offsets)


def linked(found: Found) -> NDArray[np.bool_]:
    """Whether each word but the last is followed by another of its text, after a single blank or hyphen."""
    ends = found.starts[:-1] + found.lengths[:-1]
    between = found.content[ends]
    close = (found.starts[1:] - ends == 1) & ((between == ord(" ")) | (between == ord("-")))
    firsts = found.offsets[1:-1]  # of every text but the first: the word before belongs to another text
    close[firsts[(firsts > 0) & (firsts <= len(close))] - 1] = False
    return close


def _chunks(kind: NDArray[np.int8], links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last word of every chunk of at least two, what cannot end one cut off."""
    if not len(kind):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    starts = np.flatnonzero(np.concatenate([[True], ~links]))
    nouns = np.where(kind == NOUN, np.arange(len(kind)), -1)
    last = np.maximum.reduceat(nouns, starts)
    long = last > starts
    return starts[long], last[long]


def _phrases(
    first: NDArray[np.int64], last: NDArray[np.int64], kind: NDArray[np.int8], stem: NDArray[np.int64],
    stems: Sequence[bytes], offsets: NDArray[np.int64],
) -> Occurrences:  # fmt: skip
    lengths = last - first
    before = np.cumsum(lengths) - lengths
    pairs = np.repeat(first - before, lengths) + np.arange(int(lengths.sum()))  # every word of a chunk but its last
    pairs = pairs[kind[pairs + 1] == NOUN]
    places, codes, names = [pairs], [], []
    keys, codes_of = np.unique(stem[pairs] * len(stems) + stem[pairs + 1], return_inverse=True)
    codes.append(codes_of)
    names += _named(keys, stems, stems)
    for length in range(3, LONGEST + 1):
        wholes = first[lengths == length - 1]
        parts, known = list(stems), stem[wholes]
        for offset in range(1, length):  # one word more at a time: a key of two numbers never overflows
            keys, known = np.unique(known * len(stems) + stem[wholes + offset], return_inverse=True)
            parts = _named(keys, parts, stems)
        places.append(wholes)
        codes.append(known + len(names))
        names += parts
    return in_order(names, np.concatenate(codes), np.concatenate(places), offsets)


def _named(keys: NDArray[np.int64], heads: Sequence[bytes], stems: Sequence[bytes]) -> list[bytes]:
    former, latter = (part.tolist() for part in np.divmod(keys, max(len(stems), 1)))
    return [heads[one] + b" " + stems[other] for one, other in zip(former, latter, strict=True)]


def in_order(
    names: Sequence[bytes], codes: NDArray[Any], places: NDArray[np.int64], offsets: NDArray[np.int64]
) -> Occurrences:
    """Terms that begin at these words, brought into the order of the texts: first come first in the same text."""
    text = np.searchsorted(offsets, places, "right") - 1
    order = np.argsort(text, kind="stable")
    return Occurrences(names, codes[order].astype(np.int32), np.searchsorted(text[order], np.arange(len(offsets))))
