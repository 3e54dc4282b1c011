"""The words and numbers users choose from for indexes, prior art and tuning: a module that costs nothing."""

from __future__ import annotations

from typing import Literal

BEARING = 0.25  # the share of a claim's terms from which a passage bears on it
LEARNED_MOST = 20_000  # documents of an index that has vectors unless somebody says no
COSINE = 0.95  # of vectors, from which two documents are near-duplicates
DEFAULT_SYSTEM = "best"  # of a search for prior art
# The functions of `systems.py`, and the baselines of `pipeline/steps.py`.
SYSTEMS = (
    "baseline",
    "best",
    "bitem",
    "cmu",
    "content",
    "dutir",
    "iowa",
    "links",
    "msoe",
    "purdue",
    "reputation",
    "scai",
    "york",
)
BASELINES = ("bm25", "bm25+rm3", "bm25+dense", "rrf")
Learner = Literal["logistic", "lambdamart"]


# What an index is made of.

FIELDS = ("title", "abstract", "claims", "description")
DERIVED = ("biology", "entities", "phrases", "sentences")  # fields made of the texts of others, by `index/derived.py`
Stemming = Literal["snowball", "porter", "none"]
StopWords = Literal["common", "none"]
Words = Literal["chemical", "plain"]
Syllables = Literal["pairs", "whole"]
Unit = Literal["document", "family"]
Members = Literal["joined", "first", "longest"]  # whose texts a family has
# Snowball's name for each language it stems.
LANGUAGES = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
# Stop words by language, including those of patents, such as `said` and `wherein`.
_LISTS = {
    "de": """
        aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim
        bis bzw da dabei dadurch dafür damit dann das daß dass dazu dem den denn der deren des dessen die dies diese
        diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es für gegen hat haben hier
        hinter ich ihm ihn ihr ihre ihrem ihren ihrer im in indem ins ist jede jedem jeden jeder jedes jedoch kann
        kein keine können man mehr mit nach nicht noch nur ob oder ohne sein seine seinem seinen seiner sich sie sind
        so sondern soll sowie über um und uns unter vom von vor während war waren was weil welche welcher welches wenn
        werden wie wird wobei worden wurde wurden zu zum zur zwischen
    """,
    "en": """
        a about above after again against all also am an and any are as at be because been before being below between
        both but by can could did do does doing down during each either few for from further had has have having he
        her here hers herself him himself his how however i if in into is it its itself just may me might more most
        must my myself no nor not now of off on once one only or other our ours ourselves out over own per s said same
        she should so some such t than that the their theirs them themselves then there thereby therefore therein
        thereof these they this those through thus to too under until up upon very was we were what when where whereby
        wherein whether which while who whom whose why will with within without would you your yours yourself
        yourselves
    """,
    "fr": """
        à afin ai ainsi alors au aucun aussi autre autres aux avec avoir c ce ceci cela celle celles celui ces cet
        cette ceux chaque chez comme d dans de des deux donc dont du elle elles en encore entre est et été être eux
        font il ils j je l la laquelle le lequel les lesquels leur leurs lors lui m ma mais même mes mon n ne ni nos
        notre nous on ont ou où par pas peut peuvent plus pour près qu que quel quelle qui quoi s sa sans se selon ses
        si soit son sont sous sur t ta tel telle tels tes toi ton tous tout toute toutes très tu un une vers vos votre
        vous y
    """,
}
COMMON = {language: frozenset(word.encode() for word in words.split()) for language, words in _LISTS.items()}


# The syntaxes of search systems, by `language/syntaxes/`, and our own.

SyntaxName = Literal["cochrane", "ebsco", "embase", "espacenet", "leadline", "ovid", "proquest", "pubmed", "scopus", "stn", "wos"]  # fmt: skip  # noqa: E501
