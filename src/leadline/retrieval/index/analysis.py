"""From text to terms: characters, words, stop words, stems, other spellings; and terms of many texts as numbers.

A word is a run of letters and digits, in lower case and normalised Unicode. Names and numbers of
chemistry stay whole (`words="chemical"`): a point or a comma between two digits belongs to the word, and so do a
hyphen beside a digit and an ampersand between letters, as in AT&T. Any other hyphen separates words, as in
water-in-oil. The parts of such words are in a dictionary of other spellings. Chinese and Japanese characters are words
by themselves. A Korean word, which carries particles, is all its pairs of neighbouring syllables.

>>> Analysis(stemming="none").terms("1,2-Dichloroethane (CAS 107-06-2) in H2SO4; water-in-oil, 3.5 %")
['1,2-dichloroethane', 'cas', '107-06-2', 'h2so4', 'water', 'oil', '3.5']
>>> Analysis().terms("전지용 正極")
['전지', '지용', '正', '極']

Stop words of the language are left out and the other words are stemmed, except those with a digit. Queries are analysed
as documents are, because an index stores its analysis.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from leadline.errors import InputError, checked_choice
from leadline.retrieval.choices import COMMON, LANGUAGES, Stemming, StopWords, Syllables, Words
from leadline.retrieval.index.kernel_arguments import ALONE, AMPERSAND, BETWEEN, DIGIT, HYPHEN, LETTER, POINT, SYLLABLE
from leadline.retrieval.index.terms import TERM_END as FORM_SEPARATOR
from leadline.retrieval.index.terms import Terms
from leadline.text.engine import Kernel, compiled_job
from leadline.text.kernel_arguments import FieldSlices, HashTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The class of each character, and texts normalised and joined for finding words.


Capitals = Literal["small", "kept"]  # capitals distinguish NaCl from other words
PADDING = 64  # bytes beyond the end, so that kernels may load eight bytes anywhere
# All hyphens and the minus sign become one hyphen; trade mark signs become blanks; soft hyphens are removed.
_HANGUL = (0xAC00, 0xD7A3)  # the syllables of Korean
_JAPANESE_SIGNS = "々〻ーゝゞヽヾ"  # of length and repetition, which are parts of words like the characters before them
_SIGNS = ((".", POINT), (",", POINT), ("-", HYPHEN), ("&", AMPERSAND))  # which may belong to a word
_SAME = (("‐", "-"), ("‑", "-"), ("‒", "-"), ("–", "-"), ("−", "-"), ("™", " "), ("℠", " "), ("\xad", ""))


@cache
def classes(syllables: Syllables = "whole") -> NDArray[np.uint8]:
    """The class of every character up to U+FFFF, by its code.

    >>> of = classes()
    >>> [of[ord(c)] for c in "aß7-,(水"] == [LETTER, LETTER, DIGIT, HYPHEN, POINT, BETWEEN, ALONE]
    True
    """
    found = "".join(map(unicodedata.category, map(chr, range(0x10000))))  # two letters each
    first, second = np.frombuffer(found.encode(), np.uint8).reshape(-1, 2).T
    kinds = np.where(np.isin(first, list(b"LMN")), LETTER, BETWEEN).astype(np.uint8)
    kinds[(first == ord("N")) & (second == ord("d"))] = DIGIT
    ideographs = [code for code in np.flatnonzero(second == ord("o")).tolist() if _is_ideograph(code)]
    kinds[[code for code in ideographs if first[code] == ord("L")]] = ALONE
    for sign, kind in _SIGNS:
        kinds[ord(sign)] = kind
    if syllables == "pairs":
        kinds[_HANGUL[0] : _HANGUL[1] + 1] = SYLLABLE
        kinds[list(map(ord, _JAPANESE_SIGNS))] = ALONE
    return kinds


def _is_ideograph(code: int) -> bool:
    """Whether a character is of a script without blanks between words: Chinese characters and Japanese syllables."""
    return 0x3040 <= code <= 0x30FF or 0x3400 <= code <= 0x4DBF or 0x4E00 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF


def prepared(text: str, capitals: Capitals = "small") -> bytes:
    """A text in lower case (with `capitals="small"`) and normalised (Unicode's NFKC), as UTF-8.

    >>> prepared("H₂SO₄ and 1,2‐Dichloroethane").decode()
    'h2so4 and 1,2-dichloroethane'
    """
    if not text.isascii():
        for character, replacement in _SAME:
            text = text.replace(character, replacement)
        text = unicodedata.normalize("NFKC", text)
    return (text.lower() if capitals == "small" else text).encode("utf-8", "replace")


def joined(texts: Sequence[str], capitals: Capitals = "small") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Prepared texts, concatenated: the bytes, and the offset of each text."""
    ready: list[bytes] = []
    sizes: list[int] = []
    for is_ascii, some in groupby(texts, str.isascii):
        if is_ascii:  # neighbours are prepared together: no character becomes another number of bytes
            run = list(some)
            ready.append(prepared("".join(run), capitals))
            sizes += map(len, run)
        else:
            each = [prepared(text, capitals) for text in some]
            ready += each
            sizes += map(len, each)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return np.frombuffer(b"".join([*ready, bytes(PADDING)]), np.uint8), offsets


@dataclass(frozen=True)
class Analysis:
    """How an index makes terms of text.

    >>> Analysis().terms("The brightly coloured polymers and their colours")
    ['bright', 'colour', 'polym', 'colour']
    """

    language: str = "en"
    stemming: Stemming = "snowball"  # `porter` is Porter's original stemmer, for English
    stop_words: StopWords = "common"
    words: Words = "chemical"  # `plain`: letters and digits only
    syllables: Syllables = "pairs"  # of Korean; `whole`: a word between blanks, as in indexes before format 6

    def __post_init__(self) -> None:
        checked_choice("language", self.language, list(LANGUAGES))
        for option, choices in _CHOICES:
            checked_choice(option, getattr(self, option), get_args(choices))
        if self.stop_words == "common" and self.language not in COMMON:
            raise InputError("stop_words", f"there is no list for {self.language}; choose none")

    @classmethod
    def of(cls, settings: dict[str, Any], where: str) -> Analysis:
        """The analysis with these settings, as a manifest holds them."""
        known = {"syllables": "whole"} | settings  # indexes before format 6 do not say
        if set(known) != {option.name for option in fields(cls)}:
            raise InputError(where, "has analysis settings that this version does not support: build the index again")
        return cls(**known)

    def settings(self) -> dict[str, str]:
        return asdict(self)

    def stemmer_version(self) -> str | None:
        """The version of PyStemmer, on which stems depend; None without stemming or without the package."""
        if self.stemming == "none":
            return None
        try:
            import Stemmer
        except ImportError:
            return None
        return str(Stemmer.version())

    def for_language(self, language: str) -> Analysis:
        """The same analysis for texts in another language; itself where the language is unknown or has no stemmer."""
        if language == self.language or language not in LANGUAGES or self.stemming != "snowball":
            return self
        stop: StopWords = "common" if self.stop_words == "common" and language in COMMON else "none"
        return replace(self, language=language, stop_words=stop)

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        if not text.isascii():
            return self.terms_of([text])[0]
        words = _ASCII_WORDS[self.words].findall(text.lower())
        if self.stemming == "none" and self.stop_words == "none":
            return words
        unique: dict[str, None] = dict.fromkeys(words)
        reduced = self.reduced([word.encode() for word in unique])
        term_of = {word: term.decode() for word, term in zip(unique, reduced, strict=True)}
        return [term for word in words if (term := term_of[word])]

    def terms_of(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each of some texts: of many short ones at once, much quicker than one after the other."""
        content, offsets = joined(texts)
        starts, lengths, first = spans(content, offsets, self.words, self.syllables)
        whole = content.tobytes()
        words = [whole[start : start + length] for start, length in zip(starts.tolist(), lengths.tolist(), strict=True)]
        unique: dict[bytes, None] = dict.fromkeys(words)
        term_of = {word: term.decode() for word, term in zip(unique, self.reduced(list(unique)), strict=True)}
        return [
            [term for word in words[start:end] if (term := term_of[word])] for start, end in pairwise(first.tolist())
        ]

    def reduced(self, words: Sequence[bytes]) -> list[bytes]:
        """The term of each word; empty for a word that is left out."""
        stop = COMMON[self.language] if self.stop_words == "common" else frozenset()
        if self.stemming == "none":
            return [b"" if word in stop else word for word in words]
        stems = _stemmer(self.language, self.stemming).stemWords([word.decode() for word in words])
        return [
            b"" if word in stop else stem.encode() if not _has_digit(word) else word
            for word, stem in zip(words, stems, strict=True)
        ]


# The words of a text in ASCII, as kernels find them: a query has so few that to call one takes longer.
_ASCII_WORDS = {
    "plain": re.compile("[a-z0-9]+"),
    "chemical": re.compile(
        "[a-z0-9]+(?:(?:(?<=[0-9])[.,](?=[0-9])|(?<=[0-9])-(?=[a-z0-9])|(?<=[a-z])-(?=[0-9])|(?<=[a-z])&(?=[a-z]))"
        "[a-z0-9]+)*"
    ),
}

_CHOICES = (("stemming", Stemming), ("stop_words", StopWords), ("words", Words), ("syllables", Syllables))


def spans(
    content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words, syllables: Syllables = "whole"
) -> _Spans:
    """The start and the length of each word of joined texts, and the number of each text's first word.

    With `syllables="pairs"` those of a Korean word overlap.
    """
    return _spans.choose(int(offsets[-1]))(content, offsets, words, syllables)


_Spans = tuple["NDArray[np.int64]", "NDArray[np.int32]", "NDArray[np.int64]"]


def _spans_plain(
    content: NDArray[np.uint8], offsets: NDArray[np.int64], words: Words, syllables: Syllables = "whole"
) -> _Spans:
    size = int(offsets[-1])
    begins = np.flatnonzero((content[:size] & 0xC0) != 0x80)  # of each character
    ends = np.append(begins[1:], size)
    kinds = _kinds(content, begins, syllables)
    first = np.searchsorted(begins, offsets[:-1])  # the first character of each text
    opens, closes = np.zeros(len(begins) + 1, np.bool_), np.zeros(len(begins) + 1, np.bool_)
    opens[first] = closes[first] = True
    opens, closes = opens[:-1], closes[1:]  # the first and the last character of each text
    closes[-1:] = True
    in_word = (kinds == LETTER) | (kinds == DIGIT)
    if words == "chemical":
        # A point between digits, a hyphen beside a digit, or an ampersand between letters belongs to the word.
        digit = kinds == DIGIT
        joint = np.flatnonzero((kinds >= POINT) & (kinds <= AMPERSAND) & ~opens & ~closes)
        joint = joint[in_word[joint - 1] & in_word[joint + 1]]
        before, after = digit[joint - 1], digit[joint + 1]
        rules = [before & after, before | after, ~before & ~after]  # of a point, a hyphen and an ampersand
        in_word[joint[np.choose(kinds[joint] - POINT, rules)]] = True
    alone = kinds == ALONE
    goes_on = np.zeros(len(begins) + 1, np.bool_)
    goes_on[1:-1] = in_word[:-1] & in_word[1:] & ~opens[1:]
    # A syllable makes a pair with the next one, and is a word where it has no neighbour.
    syllable, paired = kinds == SYLLABLE, np.zeros(len(begins) + 1, np.bool_)
    paired[1:-1] = syllable[:-1] & syllable[1:] & ~opens[1:]
    single = syllable & ~paired[:-1] & ~paired[1:]
    starts = np.flatnonzero((in_word & ~goes_on[:-1]) | alone | single | paired[1:])
    stops = np.flatnonzero((in_word & ~goes_on[1:]) | alone | single | paired[:-1])
    of_text = np.searchsorted(begins[starts], offsets)
    return begins[starts], (ends[stops] - begins[starts]).astype(np.int32), of_text


def _kinds(content: NDArray[np.uint8], begins: NDArray[np.int64], syllables: Syllables) -> NDArray[np.uint8]:
    """The class of each character, by its first byte."""
    lead = content[begins].astype(np.int32)
    second, third = (content[begins + k].astype(np.int32) & 63 for k in (1, 2))
    code = np.where(lead < 0xE0, (lead & 31) << 6 | second, (lead & 15) << 12 | second << 6 | third)
    kinds = classes(syllables)[np.where(lead < 128, lead, code & 0xFFFF)]
    # Beyond the table: rare scripts (letters), pictographs (separators), and from U+20000 on ideographs (words).
    far = np.flatnonzero(lead >= 0xF0)
    plane = (lead[far] & 7) << 2 | second[far] >> 4
    picture = (plane == 1) & (second[far] & 15 == 15)
    kinds[far] = np.where((plane == 2) | (plane == 3), ALONE, np.where(picture, BETWEEN, LETTER))
    return kinds


@compiled_job("leadline.retrieval.index.kernels.find_words", plain=_spans_plain)
def _spans(
    kernel: Kernel,
    content: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    words: Words,
    syllables: Syllables = "whole",
) -> _Spans:
    texts, room = len(offsets) - 1, int(offsets[-1]) + 1  # a word has at least one byte
    starts, lengths = np.empty(room, np.int64), np.empty(room, np.int32)
    of_text = np.empty(texts + 1, np.int64)
    found = kernel(content, texts, offsets, classes(syllables), words == "chemical", starts, lengths, of_text)
    return starts[:found], lengths[:found], of_text


_DIGITS = frozenset(b"0123456789")


def _has_digit(word: bytes) -> bool:
    return not _DIGITS.isdisjoint(word)


@cache
def _stemmer(language: str, stemming: Stemming) -> Any:
    try:
        import Stemmer
    except ImportError:
        raise InputError("stemming", "needs the package PyStemmer: install it, or choose none") from None
    return Stemmer.Stemmer("porter" if stemming == "porter" else LANGUAGES[language], 0)


# Other spellings of a word: its parts, its number without separators, and its letters without accents.
#
# Names and numbers stay whole in an index, so that `1,4-butanediol` is one word. This dictionary finds them by their
# parts and in other spellings: butanediol, COVID in COVID-19, 1000 in 1,000, cafe in café. The query language uses it;
# the postings of words, which models rank by, are as without it.
#
# The dictionary is sorted. Its keys are `spelling NUL term`, and `spelling NUL` alone before the first of each
# spelling.


# Languages that write a decimal comma, and a point or a blank between thousands.
DECIMAL_COMMA = frozenset({"da", "de", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"})
_THOUSANDS = {
    ",": re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?"),
    ".": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?"),
}
_DECIMAL = {",": re.compile(r"[0-9]+\.[0-9]+"), ".": re.compile(r"[0-9]+,[0-9]+")}  # by the sign between thousands
_JOINTS = re.compile("[-&]")
_POINTS = re.compile("[.,]")
_LETTERS = str.maketrans({"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "đ": "d", "ł": "l", "ı": "i", "þ": "th"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def plain_number(word: str, language: str = "en") -> str:
    """A number without separators of thousands and without final zeros of a fraction; empty for other words.

    >>> plain_number("1,000"), plain_number("3.50"), plain_number("1.000,5", "de"), plain_number("107-06-2")
    ('1000', '3.5', '1000.5', '')
    """
    mark = "." if language in DECIMAL_COMMA else ","
    if _THOUSANDS[mark].fullmatch(word):
        word = word.replace(mark, "")
    elif not _DECIMAL[mark].fullmatch(word):
        return ""
    whole, _, fraction = word.replace(",", ".").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def in_several_words(word: str, language: str = "en") -> str:
    """A number or a name with a hyphen as several words; empty for other words.

    >>> in_several_words("1000"), in_several_words("12,500"), in_several_words("covid-19"), in_several_words("film")
    ('1 000', '12 500', 'covid 19', '')
    """
    if not any(map(str.isdigit, word)):
        return ""
    number = word if word.isdigit() else plain_number(word, language)
    if number.isdigit():
        return f"{int(number):,}".replace(",", " ") if 4 <= len(number) <= 15 and number[0] != "0" else ""
    # A range of numbers, as 100-200, is not the same as the two numbers one after the other.
    is_name = "-" in word.strip("-") and any(map(str.isalpha, word))
    return " ".join(filter(None, word.split("-"))) if is_name else ""


def without_accents(word: str) -> list[str]:
    """A word without accents, and with ae, oe and ue for umlauts; empty where it has neither.

    >>> without_accents("möbel"), without_accents("film")
    (['mobel', 'moebel'], [])
    """
    if word.isascii():
        return []
    spelled = (word.translate(_LETTERS), word.translate(_UMLAUTS))
    plain = ("".join(c for c in unicodedata.normalize("NFD", each) if not unicodedata.combining(c)) for each in spelled)
    return [each for each in dict.fromkeys(plain) if each != word]


def variants(word: str, language: str = "en") -> list[str]:
    """Other spellings of the whole word."""
    plain = without_accents(word)
    numbers = dict.fromkeys(plain_number(each, language) for each in (word, *plain))
    return [*plain, *(number for number in numbers if number and number != word)]


def parts(word: str, language: str = "en") -> Iterator[str]:
    """The parts of a word with hyphens, ampersands or points, each in all its spellings.

    >>> sorted(set(parts("1,4-butanediol"))), list(parts("covid-19")), list(parts("1,000")), list(parts("at&t"))
    (['1', '1,4', '4', 'butanediol'], ['covid', '19'], [], ['at', 't'])
    """
    pieces = _JOINTS.split(word)
    if len(pieces) > 1:
        for piece in filter(None, pieces):
            yield piece
            yield from variants(piece, language)
            yield from _between_points(piece, language)
    else:
        yield from _between_points(word, language)


def _between_points(word: str, language: str) -> Iterator[str]:
    if not plain_number(word, language) and _POINTS.search(word):
        yield from filter(None, _POINTS.split(word))


def spelling_keys(words: Sequence[bytes], terms: Sequence[bytes], analysis: Analysis) -> list[bytes]:
    """The keys of the dictionary for words and their terms, not sorted."""
    pairs: list[tuple[str, bytes]] = []
    for word, term in zip(words, terms, strict=True):
        if term and (not word.isalnum() or not word.isascii()):
            written = word.decode()
            others = (*variants(written, analysis.language), *parts(written, analysis.language))
            pairs += [(other, term) for other in dict.fromkeys(others)]
    reduced = analysis.reduced([other.encode() for other, _ in pairs])
    return [
        key
        for spelling, (_, term) in zip(reduced, pairs, strict=True)
        if spelling and spelling != term
        for key in (spelling + FORM_SEPARATOR, spelling + FORM_SEPARATOR + term)
    ]


def spelled(dictionary: Terms, spellings: Iterable[bytes]) -> Mapping[bytes, list[bytes]]:
    """The terms that have each spelling; spellings without any are left out."""
    asked = list(spellings)
    found: dict[bytes, list[bytes]] = {}
    for spelling, place in zip(asked, dictionary.find([each + FORM_SEPARATOR for each in asked]).tolist(), strict=True):
        if place >= 0:
            terms = found[spelling] = []
            for number in range(place + 1, len(dictionary)):
                of, _, term = dictionary[number].partition(FORM_SEPARATOR)
                if of != spelling:
                    break
                terms.append(term)
    return found


# The terms of many texts as numbers, from which a segment is made.


_SEED = np.uint64(0x1EAD11)
_SLOTS = 1 << 18  # of the first hash table, which fits in the processor's cache


@dataclass(frozen=True)
class Occurrences:
    """The terms of texts in their order: those of text t are terms[codes[offsets[t]:offsets[t + 1]]].

    Two codes may mean the same term, as those of acid and acids do; words that are left out have an empty term.
    """

    terms: Sequence[bytes]
    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]
    words: Sequence[bytes] = ()  # the word of each code, where terms are stems of words
    spans: WordSpans | None = None  # where these are the words of a text
    spellings: Sequence[bytes] = ()  # other spellings of the words, as keys of a dictionary

    def of_text(self, number: int) -> list[str]:
        """The terms of one text."""
        codes = self.codes[self.offsets[number] : self.offsets[number + 1]].tolist()
        return [term.decode() for code in codes if (term := self.terms[code])]


@dataclass(frozen=True)
class WordSpans:
    """The words of joined texts: the code, the start and the length of each."""

    content: NDArray[np.uint8]
    words: list[bytes]  # by code, each once
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    offsets: NDArray[np.int64]  # the number of each text's first word

    @classmethod
    def of(
        cls,
        content: NDArray[np.uint8],
        text_offsets: NDArray[np.int64],
        words: Words,
        syllables: Syllables = "whole",
    ) -> WordSpans:
        starts, lengths, offsets = spans(content, text_offsets, words, syllables)
        codes, first = _numbered.choose(int(lengths.sum()))(content, starts, lengths)
        whole = content.data
        unique = [
            bytes(whole[start : start + length])
            for start, length in zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
        ]
        return cls(content, unique, codes, starts, lengths, offsets)

    def text_ends(self) -> NDArray[np.int64]:
        """The last word of each text that is followed by a word of another text."""
        firsts = self.offsets[1:-1]
        return firsts[(firsts > 0) & (firsts < len(self.codes))] - 1

    def terms(self, analysis: Analysis, languages: Sequence[str] = ()) -> Occurrences:
        """The terms of the words; those of a text in another language are reduced by the rules of that language."""
        others = {name: analysis.for_language(name) for name in dict.fromkeys(languages)}
        analyses = list(dict.fromkeys([analysis, *others.values()]))
        if len(analyses) == 1:
            terms = analysis.reduced(self.words)
            words = () if analysis.stemming == "none" else self.words
            return Occurrences(terms, self.codes, self.offsets, words, self, spelling_keys(self.words, terms, analysis))
        # A code for each word and language.
        number = np.array([analyses.index(others[name]) for name in languages], np.int64)
        codes = self.codes + np.repeat(number, np.diff(self.offsets)) * len(self.words)
        used, codes = np.unique(codes, return_inverse=True)
        all_terms: list[bytes] = []
        all_words: list[bytes] = []
        spellings: list[bytes] = []
        for place, each in enumerate(analyses):
            own = used[used // max(len(self.words), 1) == place] % max(len(self.words), 1)
            written = [self.words[code] for code in own.tolist()]
            reduced = each.reduced(written)
            all_words += written
            all_terms += reduced
            spellings += spelling_keys(written, reduced, each)
        return Occurrences(all_terms, codes.astype(np.int32), self.offsets, all_words, self, spellings)


def _numbered_plain(
    content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The code of every word, and for each code the first word that has it."""
    whole = content.tobytes()
    code_of: dict[bytes, int] = {}
    first: list[int] = []
    codes: list[int] = []
    for place, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        code = code_of.setdefault(whole[start : start + length], len(code_of))
        if code == len(first):
            first.append(place)
        codes.append(code)
    return np.array(codes, np.int32), np.array(first, np.int64)


@compiled_job("leadline.retrieval.index.kernels.number_words", plain=_numbered_plain)
def _numbered(
    kernel: Kernel, content: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    size = _SLOTS
    codes = np.empty(len(starts), np.int32)
    while True:
        table = HashTable(slots=np.zeros(size, np.int32), mask=size - 1, hashes=np.empty(size, np.uint64))
        first = np.empty(size, np.int64)
        count = kernel(FieldSlices(content, starts, lengths), len(starts), _SEED, table, first, codes)
        if count >= 0:
            return codes, first[:count]
        size *= 4  # the table was full
