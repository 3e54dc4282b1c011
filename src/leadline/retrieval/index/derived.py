"""Fields derived from the texts of a document's other fields.

Each is made by a function of the same name, here or in `derived_names.py`, which returns the terms of texts. The index
stores them like those of any field; `terms` gives those of a query.

    phrases     noun phrases, each one term: "acet acid"
    biology     names of enzymes, proteins, antibodies, organisms and genes
    entities    registry numbers, formulas, names of chemicals, codes such as IL-6
    sentences   words, each counted once per sentence

>>> from leadline.retrieval.index.analysis import Analysis
>>> terms("phrases", ["A fuel injection valve is opened."], Analysis())
['fuel inject', 'inject valv', 'fuel inject valv']
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from leadline.errors import checked_choice
from leadline.retrieval.choices import DERIVED
from leadline.retrieval.index.analysis import Analysis, Occurrences, WordSpans, joined
from leadline.text.engine import Kernel, compiled_job
from leadline.text.fields import ranges

if TYPE_CHECKING:
    from numpy.typing import NDArray

FieldFunction = Callable[[Sequence[str], Analysis], Occurrences]


@cache
def field_function(name: str) -> FieldFunction:
    """The function that derives a field from texts."""
    checked_choice("derived field", name, DERIVED)
    if name in ("phrases", "sentences"):
        return phrases if name == "phrases" else sentences
    # The names are recognised with tables that take a while to make.
    function: FieldFunction = getattr(importlib.import_module("leadline.retrieval.index.derived_names"), name)
    return function


def terms(name: str, texts: Sequence[str], analysis: Analysis) -> list[str]:
    """The terms of one document in a derived field, from the texts of its other fields."""
    return field_function(name)(["\n".join(texts)], analysis).of_text(0)


def split_fields(fields: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split fields into those of the documents and derived ones.

    >>> split_fields(["title", "phrases", "claims"])
    (['title', 'claims'], ['phrases'])
    """
    return [name for name in fields if name not in DERIVED], [name for name in fields if name in DERIVED]


# Noun phrases, found by rules without a grammar: runs of words that can be parts of a noun phrase.
#
# A chunk is a run of words separated by single blanks or hyphens, without stop words (of the analysis), verbs that
# patents use, adverbs and numbers. Participles at its end are cut off, because they belong to a verb: "the steel plate
# coated with" gives "steel plate". The terms of a chunk are its pairs of neighbouring words, so that "fuel injection
# valve" is found by "injection valve", and the whole chunk if it has three to five words. A phrase is one term: its
# stemmed words with a blank between them, which no term of another field has.


LONGEST_CHUNK = 5  # words of a chunk that is a term as a whole; longer ones are lists or tables
BREAK, MODIFIER, NOUN = 0, 1, 2
# Stems of verbs between noun phrases in patents; each may have one of the endings below.
_VERBS = """
accord achiev allow appear appli apply arrang becom begin bring caus choos claim compris connect consist constitut
contain correspond defin depend describ desir determin disclos dispos employ enabl ensur exceed exhibit exist extend
form give given has illustrat includ indicat involv know known lead lie made mak mean mention obtain occur perform
permit possess prefer prevent produc provid receiv refer relat remain represent requir result see select serv set show
shown suffici suit take taken tend use used using util utiliz utilis vary vari yield
"""
_VERB_ENDINGS = ("", "e", "s", "es", "ed", "d", "ing", "ies", "ied")
_VERB_FORMS = frozenset(verb + ending for verb in _VERBS.split() for ending in _VERB_ENDINGS)
# Words that do not tell subjects apart: "first plate", "plurality of", "figure 3".
_UNINFORMATIVE_WORDS = """
    above accordance across addition advantage along among another aspect case certain combination conventional
    corresponding different eight embodiment embodiments etc example examples fig figs figure figures first five
    following four get hereby herein hereinafter instead invention kind least like many means nine number particular
    plurality possible preferable preferred present rather respective said second seven several similar since six
    suitable ten third three throughout toward towards two type typical various want well
"""
_UNINFORMATIVE = frozenset(_UNINFORMATIVE_WORDS.split())
_FINAL_LY = ("assembly", "supply", "family", "anomaly", "butterfly", "fly", "poly", "ply", "reply", "belly", "jelly")


def role_of(word: str) -> int:
    """The role of a word: BREAK (in no noun phrase), MODIFIER (not at its end), or NOUN (anywhere).

    >>> [role_of(word) for word in ("valve", "coated", "comprises", "rapidly", "assembly", "12")]
    [2, 1, 0, 0, 2, 0]
    """
    if word in _UNINFORMATIVE or word in _VERB_FORMS or len(word) < 2:
        return BREAK
    if not word[0].isalpha() and not any(letter.isalpha() for letter in word):
        return BREAK  # a number, unlike 2-butanol
    if word.endswith("ly") and not word.endswith(_FINAL_LY):
        return BREAK
    return MODIFIER if word.endswith("ed") and not word.endswith("eed") and len(word) > 4 else NOUN


def phrases(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The noun phrases of texts, as terms: for each text the pairs of all chunks, then whole chunks by length."""
    spans = WordSpans.of(*joined(texts), analysis.words)
    reduced = analysis.reduced(spans.words)
    kinds = np.array(
        [role_of(word.decode()) if term else BREAK for word, term in zip(spans.words, reduced, strict=True)], np.int8
    )
    stems = sorted({*reduced})
    number = {stem: place for place, stem in enumerate(stems)}
    stem_of = np.array([number[term] for term in reduced], np.int64)
    kind, stem = kinds[spans.codes], stem_of[spans.codes]
    first, last = _chunks(kind, linked(spans) & (kind[:-1] != BREAK) & (kind[1:] != BREAK))
    return _phrases(first, last, kind, stem, stems, spans.offsets)


def linked(spans: WordSpans) -> NDArray[np.bool_]:
    """Whether each word (except the last) and the next are in one text, separated by a single blank or hyphen."""
    ends = spans.starts[:-1] + spans.lengths[:-1]
    between = spans.content[ends]
    close = (spans.starts[1:] - ends == 1) & ((between == ord(" ")) | (between == ord("-")))
    close[spans.text_ends()] = False
    return close


def _chunks(kind: NDArray[np.int8], links: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last word of every chunk of at least two words; the last is the last noun of the chunk."""
    if not len(kind):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    starts = np.flatnonzero(np.concatenate([[True], ~links]))
    nouns = np.where(kind == NOUN, np.arange(len(kind)), -1)
    last = np.maximum.reduceat(nouns, starts)
    long = last > starts
    return starts[long], last[long]


def _phrases(
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    kind: NDArray[np.int8],
    stem: NDArray[np.int64],
    stems: Sequence[bytes],
    offsets: NDArray[np.int64],
) -> Occurrences:
    """The terms of chunks, from the kind and the stem (a number) of each word."""
    lengths = last - first
    pairs = ranges(first, lengths)  # the first word of each pair: every word of a chunk except its last
    pairs = pairs[kind[pairs + 1] == NOUN]
    places, codes, names = [pairs], [], []
    keys, codes_of = np.unique(stem[pairs] * len(stems) + stem[pairs + 1], return_inverse=True)
    codes.append(codes_of)
    names += _phrases_of_keys(keys, stems, stems)
    for length in range(3, LONGEST_CHUNK + 1):
        wholes = first[lengths == length - 1]
        prefixes, prefix = list(stems), stem[wholes]
        for offset in range(1, length):  # one word at a time, so that the product of two numbers never overflows
            keys, prefix = np.unique(prefix * len(stems) + stem[wholes + offset], return_inverse=True)
            prefixes = _phrases_of_keys(keys, prefixes, stems)
        places.append(wholes)
        codes.append(prefix + len(names))
        names += prefixes
    return in_order(names, np.concatenate(codes), np.concatenate(places), offsets)


def _phrases_of_keys(keys: NDArray[np.int64], heads: Sequence[bytes], stems: Sequence[bytes]) -> list[bytes]:
    """The phrases of keys: the number of the head times the number of stems, plus the number of the last stem."""
    head_numbers, stem_numbers = (part.tolist() for part in np.divmod(keys, max(len(stems), 1)))
    return [heads[head] + b" " + stems[stem] for head, stem in zip(head_numbers, stem_numbers, strict=True)]


def in_order(
    names: Sequence[bytes], codes: NDArray[Any], places: NDArray[np.int64], offsets: NDArray[np.int64]
) -> Occurrences:
    """Terms that begin at these words, sorted by text; terms of the same text keep their order."""
    text = np.searchsorted(offsets, places, "right") - 1
    order = np.argsort(text, kind="stable")
    return Occurrences(names, codes[order].astype(np.int32), np.searchsorted(text[order], np.arange(len(offsets))))


# Words counted once per sentence: the frequency of a term is the number of sentences that have it.


# A point after one of these abbreviations, or after a single letter, does not end a sentence.
_ABBREVIATED = b"al approx ca cf col dr eq eqs etc ex fig figs incl max min no nos para pat pp ref refs ser st vol vs"
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
_END, _BLANK = 1, 2  # bits of what a byte is
_KINDS = np.zeros(256, np.uint8)
_KINDS[list(b".!?;")] = _END
_KINDS[list(b" \t\r\n\v\f\0")] = _BLANK  # zeros follow the last text


def sentences(texts: Sequence[str], analysis: Analysis) -> Occurrences:
    """The terms of texts, each once per sentence.

    A sentence ends at a point, question mark, exclamation mark or semicolon before a blank, and at the end of a line.

    >>> sentences(["Acid, more acid. An acid of Fig. 3; a base"], Analysis()).of_text(0)
    ['acid', 'acid', 'fig', '3', 'base']
    """
    spans = WordSpans.of(*joined(texts), analysis.words, analysis.syllables)
    reduced = analysis.reduced(spans.words)
    names = sorted({*reduced} - {b""})
    number = {name: place for place, name in enumerate(names)}
    term = np.array([number.get(each, -1) for each in reduced], np.int64)[spans.codes]
    sentence = sentence_of(spans)
    # The first occurrence of each term in each sentence.
    kept = np.flatnonzero(term >= 0)
    _, first = np.unique(sentence[kept] * max(len(names), 1) + term[kept], return_index=True)
    places = np.sort(kept[first])
    return Occurrences(names, term[places].astype(np.int32), np.searchsorted(places, spans.offsets))


def sentence_of(spans: WordSpans) -> NDArray[np.int64]:
    """The number of each word's sentence; sentences of different texts have different numbers."""
    if not len(spans.codes):
        return np.empty(0, np.int64)
    new = np.zeros(len(spans.codes), np.bool_)
    new[sentence_starts(spans)] = True
    new[spans.text_ends() + 1] = True
    return np.cumsum(new)


def sentence_starts(spans: WordSpans) -> NDArray[np.int64]:
    """The words before which a sentence or a line ends; the first word of a text is only among them by chance."""
    content = spans.content
    ends, feeds = sentence_marks(content)
    before = np.searchsorted(spans.starts, ends, "right") - 1  # the word before each mark
    is_short = np.array(
        [word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) for word in spans.words], np.bool_
    )
    directly = (before >= 0) & (spans.starts[before] + spans.lengths[before] == ends)
    shortened = directly & (content[ends] == ord(".")) & is_short[spans.codes[before]]
    lines = np.searchsorted(spans.starts, feeds, "right")
    found = np.unique(np.concatenate([before[~shortened] + 1, lines]))
    return found[(found > 0) & (found < len(spans.codes))]


_Marks = tuple["NDArray[np.int64]", "NDArray[np.int64]"]


def sentence_marks(content: NDArray[np.uint8]) -> _Marks:
    """The places of marks before a blank, and of line feeds, in joined texts."""
    return _marks.choose(len(content))(content)


def _marks_plain(content: NDArray[np.uint8]) -> _Marks:
    ends = np.flatnonzero(_KINDS[content[:-1]] & _END)
    return ends[(_KINDS[content[ends + 1]] & _BLANK) > 0], np.flatnonzero(content == ord("\n"))


@compiled_job("leadline.retrieval.index.kernels.find_ends", plain=_marks_plain)
def _marks(kernel: Kernel, content: NDArray[np.uint8]) -> _Marks:
    size = len(content) - 1
    ends, lines = np.empty(size, np.int64), np.empty(size + 1, np.int64)  # of which few pages are touched
    found = kernel(content, size, _KINDS, ends, lines)
    return ends[:found].copy(), lines[: int(lines[size])].copy()
