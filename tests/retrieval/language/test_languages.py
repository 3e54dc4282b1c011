"""Languages of patents: words within longer ones in Korean, German and Dutch, and characters of Chinese, Japanese."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import leadline as ll
from leadline.collections.documents.document import Document
from leadline.retrieval.index.analysis import Analysis
from leadline.retrieval.index.index import Index
from leadline.retrieval.language.language import Language
from leadline.retrieval.models.searcher import Searcher

# A word, a text that has it inside a longer one, and one that has its letters or characters in another way.
KOREAN = """
전지 전지용 전자와지도; 전지 리튬전지에 전기지; 전극 제1전극은 전류극
배터리 배터리를 배터와터리; 양극 양극활물질 양쪽극; 음극 음극재로서 음성극
분리막 분리막이 분리된막; 전해질 고체전해질의 전해액질
반도체 반도체를 반도시체; 장치 장치에서 장소치; 방법 제조방법을 방향법
재료 재료로 재고료; 촉매 촉매층 촉진매; 화합물 화합물은 화합과물
용액 수용액을 용매액; 조성물 조성물로 조성된물
"""
JAPANESE = """
電池 二次電池用 電気池; 正極 正極材料 正負極; バッテリー バッテリーA バッテリ
電解質 固体電解質層 電解液質; 半導体 半導体装置 半分導体
装置 製造装置は 装備置; 触媒 触媒層 触れる媒; セパレータ セパレータを セパレ
化合物 化合物である 化合する物; 溶液 水溶液 溶けた液; 負極 負極活物質 負の極
方法 製造方法 方式法; センサー センサー部 センサ; 我々 我々は 我が
樹脂 樹脂組成物 樹木脂; リチウム リチウムイオン リチャウム
"""
CHINESE = """
电池 锂离子电池 电水池; 正极 正极材料 正负极; 隔膜 隔膜的 隔离膜
电解质 固态电解质 电解液质; 半导体 半导体器件 半个导体; 装置 制造装置 装设置
方法 制备方法 方向法; 催化剂 催化剂层 催化的剂; 化合物 化合物中 化合的物
溶液 水溶液 溶剂液; 负极 负极活性 负的极; 材料 复合材料 材质料
电极 电极片 电的极; 石墨 石墨烯 石头墨; 聚合物 聚合物膜 聚合的物
传感器 传感器组件 传送感器
"""
# A compound, and its parts.
GERMAN = """
Kathodenmaterial Kathode Material; Zahnrad Zahn Rad; Gasbrenner Gas Brenner; Sprachausgabe Sprache Ausgabe
Fahrradrahmen Fahrrad Rahmen; Batteriegehäuse Batterie Gehäuse; Elektrodenfläche Elektrode Fläche
Kühlmittelpumpe Kühlmittel Pumpe; Kraftstoffleitung Kraftstoff Leitung; Verbindungselement Verbindung Element
Arbeitszylinder Arbeit Zylinder; Schraubenmutter Schraube Mutter; Lichtquelle Licht Quelle; Wärmetauscher Wärme Tauscher
Bremsscheibe Bremse Scheibe; Hochspannungskabel Hochspannung Kabel; Druckluftspeicher Druckluft Speicher
Bildersensor Bild Sensor; Tageslichtfilter Tag Licht Filter; Tageslichtlampe Tag Licht Lampe
"""
DUTCH = """
batterijbehuizing batterij behuizing; brandstofcel brandstof cel; verbindingselement verbinding element
pannenkoek pan koek; gasbrander gas brander; warmtewisselaar warmte wisselaar; lichtbron licht bron
koelmiddelpomp koelmiddel pomp; tandwiel tand wiel; remschijf rem schijf; zonnepaneel zon paneel; drukvat druk vat
stoomketel stoom ketel; werkingsprincipe werking principe; glasvezelkabel glasvezel kabel; kinderzitje kind zitje
waterleiding water leiding; elektrodemateriaal elektrode materiaal
"""
NewFolder = Callable[[], Path]


def _rows(table: str) -> list[list[str]]:
    return [part.split() for line in table.strip().splitlines() for part in line.split(";") if part.strip()]


def _names(language: Language, query: str) -> set[str]:
    answer = language.search(query)
    return {language.index.id_of(row) for row in np.flatnonzero(answer.matching).tolist()}


@pytest.mark.parametrize(("table", "code"), [(KOREAN, "ko"), (JAPANESE, "ja"), (CHINESE, "zh")])
def test_words_within_texts_without_blanks(new_folder: NewFolder, table: str, code: str) -> None:
    rows = _rows(table)
    assert len(rows) >= 15
    texts = {f"{kind}{row}": text for row, (_, *pair) in enumerate(rows) for kind, text in zip("io", pair, strict=True)}
    documents = [Document(name, language=code, abstract=f"本 {text}, LiPF6") for name, text in texts.items()]
    language = Language(Index.build(documents, new_folder(), fields=["abstract"], positions=True))
    for row, (word, inside, other) in enumerate(rows):
        found = _names(language, word)
        assert (f"i{row}" in found, f"o{row}" in found) == (True, False), (word, inside, other)
        assert found == {name for name, text in texts.items() if word in text}, word
        assert _names(language, inside) == {name for name, text in texts.items() if inside in text}, inside


@pytest.mark.parametrize(("table", "code"), [(GERMAN, "de"), (DUTCH, "nl")])
@pytest.mark.parametrize("analysis", ["en", "own", "none"])
def test_parts_of_compounds(new_folder: NewFolder, table: str, code: str, analysis: str) -> None:
    rows = _rows(table)
    assert len(rows) >= 15
    documents = [Document(f"c{row}", language=code, abstract=each[0]) for row, each in enumerate(rows)]
    parts = dict.fromkeys(part for each in rows for part in each[1:])
    documents += [Document(part, language=code, abstract=f"LiPF6 {part}") for part in parts]
    rules = {
        "en": Analysis(),
        "own": Analysis(code, stop_words="none"),
        "none": Analysis(stemming="none", stop_words="none"),
    }[analysis]
    language = Language(Index.build(documents, new_folder(), fields=["abstract"], analysis=rules))
    for part in parts:
        found = {name for name in _names(language, part) if name[0] == "c" and name[1:].isdigit()}
        assert found == {f"c{row}" for row, each in enumerate(rows) if part in each[1:]}, part


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("Rahmen", "umrahmen"), ("Lage", "Fahrradlager"), ("Rat", "Karate"), ("Zug", "Auszug"), ("Rate", "Ratgeber"),
        ("Brenner", "Verbrennen"), ("Ton", "Karton"), ("Zahl", "Anzahl"), ("Mittel", "Ermitteln"),
    ],
)  # fmt: skip
def test_letters_alone_make_no_compound(new_folder: NewFolder, word: str, other: str) -> None:
    texts = [Document("a", language="de", abstract=f"{word} Fahrrad"), Document("b", language="de", abstract=other)]
    assert _names(Language(Index.build(texts, new_folder(), fields=["abstract"])), word) == {"a"}


@pytest.mark.parametrize(
    ("code", "word", "other", "little"),
    [
        ("de", "Bindung", "Verbindung", "ver"), ("de", "Lage", "Anlage, Auflage, Einlage", "auf ein"),
        ("de", "Form", "Uniformierung", "uni ung"), ("nl", "leiding", "aanleiding", "aan"),
        ("nl", "deling", "verdeling", "ver"), ("nl", "stand", "verstandheid", "ver heid"),
    ],
)  # fmt: skip
def test_beginnings_and_endings_are_no_parts(
    new_folder: NewFolder, code: str, word: str, other: str, little: str
) -> None:
    """Also where they stand alone somewhere, as behind a line that was broken."""
    texts = [Document("a", language=code, abstract=f"{word} {little}"), Document("b", language=code, abstract=other)]
    rules = Analysis(stop_words="none")
    language = Language(Index.build(texts, new_folder(), fields=["abstract"], analysis=rules))
    assert _names(language, word) == {"a"}


def test_compounds_are_of_documents_in_the_language(new_folder: NewFolder) -> None:
    texts = [
        Document("en1", language="en", abstract="A microfilm"),
        Document("en2", language="en", abstract="A film of a micro"),
        Document("de1", language="de", abstract="Ein Fahrradrahmen und ein Fahrrad"),
    ]
    language = Language(Index.build(texts, new_folder(), fields=["abstract"]))
    assert _names(language, "film") == {"en2"}
    assert _names(language, "Rahmen") == {"de1"}


def test_several_languages_in_one_document(new_folder: NewFolder) -> None:
    texts = {
        "a": "Battery case. 전지용 케이스. Batteriegehäuse und Gehäuse. 電池ケース",
        "b": "Battery. 電極",
        "c": "LiPF6전지를 포함하는 cell-전극 및 3전극",
        "d": "제1 전 극, 물을",
    }
    documents = [Document(name, title=text, language="de" if name == "a" else "") for name, text in texts.items()]
    language = Language(Index.build(documents, new_folder(), fields=["title"], positions=True))
    expected = {
        "전지": "ac", "battery AND 전지": "a", "電池 NEAR/9 gehäuse": "a", "lipf6": "c", "전극": "c", "電極": "b",
        '"포함하는 cell"': "c", "물*": "d", "전지*": "ac", "전지 -battery": "c", "물": "", "電池*": "a",
    }  # fmt: skip
    for query, names in expected.items():
        assert "".join(sorted(_names(language, query))) == names, query


def test_snippets_mark_korean_words(tmp_path: Path) -> None:
    collection = tmp_path / "kr.jsonl"
    collection.write_text('{"id": "KR1", "title": "배터리용 장치", "abstract": "배터리를 포함한다"}\n')
    ll.build_collection(collection, tmp_path / "c", keep="all")
    found = ll.search(ll.build_index(tmp_path / "c", tmp_path / "i", positions=True), "배터리")
    (snippet,) = found.snippets()
    marked = {place for start, end in snippet.marks for place in range(start, end)}
    assert "".join(snippet.text[place] for place in sorted(marked)) == "배터리"
    assert snippet.shown("<", ">").replace("<", "").replace(">", "") == snippet.text


def _english(seed: int) -> list[dict[str, str]]:
    rng = random.Random(seed)
    letters = [
        f"{a}{b}{c}" for a in ("pol", "sil", "cat", "mem") for b in ("ym", "ic", "al", "br") for c in ("er", "one")
    ]
    words = [*letters, "1,4-butanediol", "COVID-19", "3.50", "café", "the", "of", "AT&T", "H2SO4", "water-in-oil"]
    return [
        {
            "id": f"US{number}",
            "title": " ".join(rng.choices(words, k=rng.randint(1, 8))),
            "abstract": ". ".join(" ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(3)),
        }
        for number in range(120)
    ]


def _golden() -> list[dict[str, str]]:
    """The patents and articles of the golden files, a document for each thousand characters."""
    files = sorted((Path(__file__).parents[2] / "golden" / "documents").glob("*.xml"))
    whole = " ".join(re.sub("<[^>]*>", " ", path.read_text()) for path in files)
    pieces = [whole[at : at + 1000] for at in range(0, len(whole), 1000)]
    return [{"id": f"US{at}", "title": text[:100], "abstract": text} for at, text in enumerate(pieces)]


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("texts", [_golden(), _english(1), _english(2)], ids=["golden", "random", "another"])
def test_scores_of_english_texts_are_those_of_older_indexes(
    new_folder: NewFolder, texts: list[dict[str, str]], positions: bool
) -> None:
    """To the last bit, and every array of the segments."""
    made = [
        Index.build(texts, new_folder(), fields=["title", "abstract"], positions=positions, analysis=analysis)
        for analysis in (Analysis(syllables="whole"), Analysis(syllables="pairs"))
    ]
    old, new = (index.segments[0].file for index in made)
    assert old.names() == new.names()
    assert all(np.array_equal(old[name], new[name]) for name in old.names())
    for model in ("bm25", "bm25f", "dirichlet", "jelinek-mercer", "dph"):
        for query in (
            "polymer silicone",
            "membrer catalone covid-19",
            "cafe 1000 butanediol",
            "a method of the invention",
        ):
            one, other = (Searcher(index).search(query, model=model) for index in made)
            assert one.rows.tolist() == other.rows.tolist()
            assert one.scores.tobytes() == other.scores.tobytes()
            asked = [Language(index).search(query, model) for index in made]
            assert asked[0].ranking.scores.tobytes() == asked[1].ranking.scores.tobytes()


def test_other_languages_do_not_change_the_scores_of_a_word_s_own_list(new_folder: NewFolder) -> None:
    """Postings of a German collection are as without compounds: these are looked up when a query asks."""
    texts = [
        Document("a", language="de", abstract="Kathodenmaterial Kathode"),
        Document("b", abstract="Kathode Material"),
    ]
    index = Index.build(texts, new_folder(), fields=["abstract"], analysis=Analysis("de"))
    lists = index.lists("abstract", [b"kathod", b"kathodenmaterial"])
    assert lists.occurrences.tolist() == [2, 1]
    assert index.lengths("abstract").tolist() == [2, 2]
