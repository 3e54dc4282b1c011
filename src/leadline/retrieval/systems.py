"""Named systems: each public function returns one's pipeline, or a team's variants and which of them its name means.

Its docstring says where it comes from; `leadline systems NAME` prints it. The names are in `retrieval/choices.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

from leadline.options import Names
from leadline.retrieval.pipeline.after.where import Where
from leadline.retrieval.pipeline.context import PATENT_FIELDS
from leadline.retrieval.pipeline.named_systems import Team, Variant
from leadline.retrieval.pipeline.pipeline import Step
from leadline.retrieval.pipeline.query.best_terms import Weighing
from leadline.retrieval.pipeline.steps import (
    RM3,
    BestClaim,
    BestTerms,
    Citations,
    Claims,
    ClaimScores,
    ClassAgreement,
    Dates,
    Dense,
    DropTerms,
    Either,
    EntityWeights,
    FamilyMembers,
    Fuse,
    InDegree,
    LikelyClasses,
    Nouns,
    PageRank,
    SameClass,
    Search,
    Survey,
    Text,
    WithEntities,
)
from leadline.retrieval.pipeline.synonyms.expand import Expand


def baseline() -> Step:
    """The baseline for all other systems: all words of the topic, searched with BM25.

    For a patent these are the words of its title, abstract, claims and description, with their counts; for a topic in
    words those of its title and narrative.
    """
    return Either(patent=Text(), text=Survey()) >> Search("bm25")


def content() -> Step:
    """The first generation of web search engines: pages are ranked by their own words alone.

    Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: Excite, AltaVista and
    Infoseek, about 1996. Whoever writes a page decides how it ranks: a page stuffed with the words of a query comes
    first.
    """
    return Either(patent=Text(), text=Survey()) >> Search("bm25")


def links() -> Step:
    """The second generation of web search engines: a page's own words, and how many pages link to it.

    Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: popularity, as in Lycos.
    Every link counts the same, whoever makes it: a page that a link farm links to comes first.
    """
    return content() >> InDegree(weight=0.5)


def reputation() -> Step:
    """The third generation of web search engines: a page's own words, and the reputation of the pages that link to it.

    Garg and Sharma, Information Retrieval on the Web and its Evaluation, 2012, section 4.1: a link from a page of high
    reputation counts more, as in Google's PageRank. A link farm has little reputation to give, as long as it is small
    against the rest of the web: docs/links.md shows how large it must be.
    """
    return content() >> PageRank(weight=0.5)


def best() -> Step:
    """The most effective pipeline we found: words, noun phrases, vectors, classes, citations and families together.

    The choices were tuned on half of the topics of three collections, those about citations by AP and PRES@100;
    docs/effectiveness.md has the variants and the results on the other half. A patent is searched by a language model
    with all its words, in logarithmic counts (a word that occurs ten times counts as three), with its noun phrases if
    the index has them (`leadline index --fields`), and with its vector if the index has vectors (`leadline index
    --dense`). Then results are boosted that share the topic's classes, then documents that the first ten cite, and all
    members of their families are added. Of a topic in words, the title of a document counts twice, and the query is
    expanded with words of the first results.
    """
    titled = Search("bm25", title=2.0)
    expanded = Survey() >> titled >> RM3(10, 30, 0.85, chances="equal") >> titled
    # What helps patents was not measured for topics in words: citations count less.
    cited = Where(collection="there", then=Citations(20, 0.2, credit="rank", cap=2.0))
    text = _with_vectors(expanded, 0.6) >> cited >> FamilyMembers()
    return Either(patent=_with_vectors(best_by_words(), 0.35) >> best_afterwards(), text=text)


def _with_vectors(words: Step, share: float) -> Where:
    """Results by words, and where the index has vectors, together with those, which have this share.

    A few words of a need say less than the vector of its meaning; the words of a whole patent say more.
    """
    return Where(vectors="stored", then=Fuse((words, Dense()), "linear", (1 - share, share)), otherwise=words)


def best_by_words() -> Step:
    """What `best` searches first for a patent: words and phrases. With `best_afterwards` it is what was tuned."""
    model = Search("jelinek-mercer(background=0.85)")
    words = Text(counting="log") >> model
    phrases = Where(("phrases",), then=BestTerms(200, ("phrases",), into="same") >> model, otherwise=words)
    return Fuse((words, phrases), "linear", (0.55, 0.45))


def best_afterwards() -> Step:
    """What `best` does after the search for a patent: classes, what the first results cite, and families."""
    # A document that cites many shares its credit among them: where citations are many, each says less.
    cited = Citations(10, 0.5, credit="rank", split="shared", cap=1.5)
    return ClassAgreement("subclass", 0.2) >> cited >> FamilyMembers()


def bitem() -> Team:
    """BiTeM, University of Applied Sciences Geneva, at TREC-CHEM 2009 (BiTeM09PAcit and others): citations, above all.

    What they did: the best runs of prior art. To a plain search (MAP 0.067) they added synonyms of the chemicals
    recognised in the topic (+2 to 3 %), a reranking by claims (+3 %), a filter by IPC (no gain), and above all a boost
    for documents that the first results cite: MAP 0.18, +168 %. They report that this used citations by patents later
    than the topic. For the technical survey they tried synonyms, IPC filters, and families as the unit of the index
    (po), which did best.

    What is guessed: what each name stands for, from its letters and scores. qe is taken to have citations too (MAP
    0.182); cl, which is below the plain search, to be the claims alone; cba and cbb to be all steps, without and with
    IPC; the number in ipc1, ipc3 and ipc5 to be that of the classes that are kept, those that the first results have
    most often; ipc3b to boost instead of filter; comb to merge. The runs with ipc and comb have synonyms and families,
    as their scores are near those of qepo. All weights are ours.

    What differs here: BM25 is the plain search. A family is a unit by its best member: all get its score. No citation
    is ever that of the topic's own family. Synonyms are those of the package `chemicals`; without the package none are
    added, and the run says so. Ours is `seen-citations`: prior art with only those citations that were public before
    the topic's priority, as a searcher on that day would have had them. Left out: their own recogniser of names, and
    their thesaurus.
    """
    synonyms = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.2))
    bm25, claims, families = Search("bm25"), ClaimScores(weight=0.1), FamilyMembers()
    seen = Citations(documents=30, weight=0.3)
    qepo = Survey() >> synonyms >> bm25 >> families

    def with_later(query: Step, search: Step) -> Step:
        """Citations by patents later than the topic are used, although the result must not have those patents."""
        return query >> Dates("none") >> search >> Citations(documents=30, weight=0.3, seen="all") >> Dates()

    def ipc(n: int, how: Literal["filter", "boost"] = "filter") -> Step:
        """The search for a text, limited to the commonest classes of its first results."""
        again = bm25 >> families if how == "filter" else families
        return Survey() >> synonyms >> bm25 >> LikelyClasses(n, how=how) >> again

    query = Text() >> synonyms
    comb = Fuse((qepo, ipc(1), ipc(3), ipc(3, "boost")), how="rrf")
    rows: tuple[tuple[Any, ...], ...] = (
        ("baseline", "all words", Text() >> bm25, Survey() >> bm25, "BiTeM09PAbl BiTeM09", "MAP 0.067; xinfAP 0.157"),
        ("expansion", "with synonyms", query >> bm25, Survey() >> synonyms >> bm25, "BiTeM09qe",
         "+2 to 3 % MAP; xinfAP 0.094"),
        ("claims", "reranked by claims", Text() >> bm25 >> claims, None, "", "+3 % MAP"),
        ("claims-only", "the claims alone", Claims(each="together") >> bm25, None, "BiTeM09PAcl", "MAP 0.049"),
        ("ipc", "only the topic's classes", SameClass() >> Text() >> bm25, None, "", "no significant gain"),
        ("citations", "with what the first results cite", with_later(Text(), bm25), None, "BiTeM09PAcit",
         "MAP 0.180, +168 %"),
        ("citations-expansion", "citations, synonyms", with_later(query, bm25), None, "BiTeM09PAqe", "MAP 0.182"),
        ("combination-a", "synonyms, claims, citations", with_later(query, bm25 >> claims), None, "BiTeM09PAcba",
         "MAP 0.184"),
        ("combination-b", "the same within the topic's classes", SameClass() >> with_later(query, bm25 >> claims), None,
         "BiTeM09PAcbb", "MAP 0.158"),
        ("families", "families as units", Text() >> bm25 >> families, Survey() >> bm25 >> families, "BiTeM09po",
         "xinfAP 0.179"),
        ("families-expansion", "families, synonyms", query >> bm25 >> families, qepo, "BiTeM09qepo", "xinfAP 0.109"),
        ("ipc1", "only the likeliest class", None, ipc(1), "BiTeM09ipc1", "xinfAP 0.107"),
        ("ipc3", "only the 3 likeliest classes", None, ipc(3), "BiTeM09ipc3", "xinfAP 0.111"),
        ("ipc3b", "the 3 likeliest classes boosted", None, ipc(3, "boost"), "BiTeM09ipc3b", "xinfAP 0.110"),
        ("ipc5", "only the 5 likeliest classes", None, ipc(5), "BiTeM09ipc5", "xinfAP 0.108"),
        ("comb", "families with synonyms and classes, merged", None, comb, "BiTeM09comb", "xinfAP 0.109"),
        ("seen-citations", "combination a with citations public before the topic", query >> bm25 >> claims >> seen),
    )  # fmt: skip
    return Team(tuple(Variant(*row) for row in rows), "combination-a", "families")


def cmu() -> Team:
    """Carnegie Mellon University at TREC-CHEM 2009 (CMU09Chmtcdd): the whole patent as the query, strict about dates.

    What they did: they compared filters by date; the best excluded documents published after the topic's latest
    priority. They found that the words of the whole patent with their counts are a better query than those of title and
    claims. They used the Indri search engine unchanged, with its structured queries.

    What is guessed: which of the two runs is which; the one with the better scores is taken to be the whole patent. The
    overview does not report their field weights; here all are equal.

    What differs here: the language model is Indri's, with its default mu of 2500; the words of all fields are one text.
    Their date filter is the default of every search here. The other date filters that they tried are left out: the step
    `dates` has them, and docs/effectiveness.md compares them.

    They did not take part in the technical survey: topics must be patents.
    """
    model = Search("indri-dirichlet(mu=2500)")

    variants = (
        Variant(
            "title-claims",
            "the words of title and claims",
            Text(("title", "claims")) >> Dates("publication") >> model,
            runs="CMU09Chmtcd",
            reported="MAP 0.065",
        ),
        Variant(
            "whole-text",
            "the words of the whole patent",
            Text() >> Dates("publication") >> model,
            runs="CMU09Chmtcdd",
            reported="MAP 0.098; whole text improves over title and claims",
        ),
    )
    return Team(variants, "whole-text")


def dutir() -> Team:
    """Dalian University of Technology at TREC-CHEM 2009 (DUTIRRun1 to 3, DUT09TSRun1 to 6): sixty terms, BM25F.

    What they did: from the topic's title, abstract, description and claims they took the 60 terms with the largest
    TF-IDF as the query of prior art. For the technical survey title and narrative were the query: the first three runs
    by a language model, the third with pseudo relevance feedback; the last three by BM25F, with a weight for each
    field.

    What is guessed: the model of each run of prior art (here the same as in the survey run of the same number); all
    weights and parameters; Dirichlet smoothing. DUT09TSRun4 is taken to weigh all fields alike, DUT09TSRun6 not.

    What differs here: the feedback is RM3, a successor of the relevance models that they may have used. Left out: how
    the first survey run differs from the second, which the overview does not say.
    """
    terms, need = BestTerms(60), Survey(title=2.0, narrative=1.0)
    lm = Search("indri-dirichlet")
    feedback = lm >> RM3(documents=10, terms=20, weight=0.7, most=0.2, chances="likelihood") >> lm
    equal = Search("bm25f")
    bm25f = Search("bm25f", {"title": 3.0, "abstract": 2.0, "claims": 2.0, "description": 1.0})

    variants = (
        Variant(
            "lm",
            "60 terms of each field; language model",
            terms >> lm,
            need >> lm,
            "DUTIRRun1 DUT09TSRun1 DUT09TSRun2",
            "short MAP 0.020; xinfAP 0.211, 0.248",
        ),
        Variant(
            "lm-feedback",
            "language model with feedback",
            terms >> feedback,
            need >> feedback,
            "DUTIRRun2 DUT09TSRun3",
            "short MAP 0.020; xinfAP 0.239",
        ),
        Variant("bm25f-equal", "BM25F, all fields alike", terms >> equal, need >> equal, "DUT09TSRun4", "xinfAP 0.248"),
        Variant(
            "bm25f",
            "BM25F, title, abstract and claims raised; no feedback",
            terms >> bm25f,
            need >> bm25f,
            "DUTIRRun3 DUT09TSRun6 DUTIR09BM25F",
            "short MAP 0.020; xinfAP 0.301, 0.245, the best of all teams",
        ),
    )
    return Team(variants, "bm25f", "bm25f")


def iowa() -> Team:
    """The University of Iowa at TREC-CHEM 2009 (UIowaS09PA1 to 3): unnested claims as units, beside everything else.

    What they did: each dependent claim got the text of the claims it refers to, so that claims "could stand as
    independent documents". There were two Lucene indexes, one of claims and one of title, description, abstract and
    classes (TDAC); their results were merged with the best weights found. Patents with a later priority than the
    topic's were left out. Their second run kept only patents with the topic's main class, their third used a patent's
    number as its date.

    What is guessed: the best claim of a document gives its score; the weights of the merge; that the second and third
    run merge as the first does.

    What differs here: one index, in which the 200 first patents of the field of claims are scored again, claim by
    claim. Classes are not words of a text; their agreement is mixed with the score of TDAC. Ours is `merged`: it
    leaves out what was published after the topic's priority, as the judgements do. Left out: how they tuned the
    weights.

    They did not take part in the technical survey: topics must be patents.
    """
    tdac = ("title", "abstract", "description")
    claims = Claims("unnested") >> Search("tfidf", ("claims",), several="best") >> BestClaim(200, "tfidf")
    others: Step = Text(tdac) >> Search("tfidf", tdac) >> ClassAgreement("subclass", weight=0.1)
    merged = Fuse((claims, others), how="linear", weights=(0.3, 0.7))

    variants = (
        Variant("tdac", "title, description, abstract and classes alone", others),
        Variant("claims", "claims alone, the best claim of a patent", claims),
        Variant(
            "priorities",
            "merged; no patent with a later priority",
            Dates("priority") >> merged,
            runs="UIowaS09PA1",
            reported="MAP 0.068; short MAP 0.049",
        ),
        Variant(
            "main-class",
            "merged; only patents with the topic's main class",
            Dates("priority") >> SameClass(by="main") >> merged,
            runs="UIowaS09PA2",
            reported="short MAP 0.005",
        ),
        Variant(
            "numbers",
            "merged; dates by number",
            Dates("numbers alone") >> merged,
            runs="UIowaS09PA3",
            reported="short MAP 0.007",
        ),
        Variant("merged", "merged; nothing published after the topic's priority", merged),
    )
    return Team(variants, "priorities")


def msoe() -> Team:
    """Milwaukee School of Engineering at TREC-CHEM 2009 (msoe09TSx1 to x5): evidence from every level of a patent.

    What they did: a dimensional database on twelve rented machines counted words and chemical entities at all levels of
    a patent: word, sentence, claim, description, abstract, title. A probabilistic graphical model combined the evidence
    of all levels.

    What is guessed: the model, which is the simplest one, in which levels are independent: the weighted sum of the
    log-likelihood of the query at each level. All weights. The overview does not say how the five runs of each task
    differ, but its scores say which are alike: x1, x2 and x3 nearly the same, x4 the best for patents and by far the
    worst for texts, x5 between. They are taken to be the words; the words with one more level; no words; all levels.

    What differs here: one index on one machine. An index with the fields `sentences` and `entities` adds those levels
    (`leadline index --fields`); without them they are left out, and the run says so. Left out: the distribution over
    machines, and claims as levels of their own below the field of claims.
    """
    weights = {"title": 1.0, "abstract": 1.0, "claims": 1.0, "description": 2.0}
    model = "jelinek-mercer(background=0.7)"
    words, need = (query >> Search(model, weights, combine="scores") for query in (Text(), Survey()))

    def levels(shares: dict[str, float]) -> tuple[Step, Step]:
        """Words, and searches of other levels for what the topic has there, for patents and for texts."""
        weights = (round(1 - sum(shares.values()), 2), *shares.values())
        patents = [where(field, Text((field,), into="same") >> Search(model), words) for field in shares]
        texts = [where(field, Survey(fields=(field,)) >> Search(model), need) for field in shares]
        return Fuse((words, *patents), "linear", weights), Fuse((need, *texts), "linear", weights)

    def where(field: str, then: Step, otherwise: Step) -> Step:
        return Where((field,), then=then, otherwise=otherwise)

    kinds = (
        ("words", "words in each field", (words, need), "short MAP 0.0015; xinfAP 0.067"),
        ("sentences", "words and sentences", levels({"sentences": 0.25}), "short MAP 0.0015; xinfAP 0.067"),
        ("entities", "words and entities", levels({"entities": 0.15}), "short MAP 0.0015; xinfAP 0.069"),
        ("without-words", "sentences and entities", levels({"sentences": 0.7, "entities": 0.3}),
         "short MAP 0.0022; xinfAP 0.038"),
        ("levels", "words, sentences and entities", levels({"sentences": 0.25, "entities": 0.15}),
         "short MAP 0.0019; xinfAP 0.064"),
    )  # fmt: skip
    variants = tuple(
        Variant(name, does, *both, f"msoe09TSx{number}ta msoe09TSx{number}", reported)
        for number, (name, does, both, reported) in enumerate(kinds, start=1)
    )
    return Team(variants, "without-words", "entities")


def purdue() -> Team:
    """Purdue University at TREC-CHEM 2009 (purduePA09r1, r2, purdueTS09r1): thirty terms per field, synonyms, classes.

    What they did: the query was all words of the title and the 30 best terms by TF-IDF of claims, abstract and
    description, with the PubChem synonyms of the chemicals among them; the documents' fields were searched with
    different weights. Documents were filtered by date, and the rest reranked by the similarity of their IPC classes to
    the topic's. For the technical survey title and narrative had separate weights, with synonyms too; recognised
    entities raised or lowered the weights of terms, and removed documents from the result.

    What is guessed: how entities do that: their terms count one and a half times, and documents that name none of them
    are removed. How purduePA09r1 differs from r2, which the overview does not say: r1 is taken to lack the reranking.
    All weights are ours.

    What differs here: synonyms are those of the package `chemicals`, whose names are PubChem's, for names whose terms
    were all chosen; without the package none are added, and the run says so. Documents published after the topic's
    priority are excluded, as in the judgements. Left out: a search of the whole document beside its fields.
    """
    synonyms = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
    search = Search("bm25", {"title": 2.0, "abstract": 1.5, "claims": 1.5, "description": 1.0}, combine="scores")
    terms = BestTerms({"abstract": 30, "claims": 30, "description": 30}) >> synonyms >> search
    need, weights = Survey(title=2.0, narrative=1.0) >> synonyms, EntityWeights(raised=1.5)

    variants = (
        Variant("terms", "30 terms of each field, synonyms", terms, need >> search, "purduePA09r1", "short MAP 0.065"),
        Variant("entity-weights", "terms of entities raised", None, need >> weights >> search),
        Variant(
            "reranked",
            "reranked by classes; for texts documents without an entity removed",
            terms >> ClassAgreement("group", weight=0.2),
            need >> weights >> WithEntities() >> search,
            "purduePA09r2 purdueTS09r1",
            "short MAP 0.068; xinfAP 0.293",
        ),
    )
    return Team(variants, "reranked", "reranked")


def scai() -> Team:
    """Fraunhofer SCAI at TREC-CHEM 2009 (SCAI09PAt*, SCAI09TSNP): noun phrases and entities indexed beside the words.

    What they did: 36 runs of prior art, with words, normalised noun phrases, or biomedical and chemical entities as the
    query, each in its own field. Words did best (bpref 0.40). For the technical survey queries were manual (the best),
    or made of noun phrases or entities.

    What is guessed: the grid of the 36 runs, from their letters and scores. The number is taken to be the kind of query
    (1, with the highest bpref, words; 2 phrases; 3 chemistry; 4 biology); the last letter the field of the topic that
    it is made of (e, the highest, all; d, by far the lowest, the title; then b the description, a the claims, c the
    abstract; 4 has neither d nor e); f and t, terms weighed by frequency and by TF-IDF, for which only the letters
    speak. SCAI09TSPM is taken to be of entities. BM25, the 100 best terms of a field, and all weights are ours.

    What differs here: noun phrases and entities are found by rules, not by trained taggers. They need an index with the
    fields `phrases`, `entities` (chemistry) and `biology` (`leadline index --fields`). Without them a patent is
    searched by the words of the same text and a text by its nouns, and the run says so. Ours is `together`, which fuses
    all for patents, and for texts noun phrases with nouns. Left out: manual queries (SCAI09TSMAN); the results of those
    of `leadline search` can be added with the step `run`.
    """
    bm25 = Search("bm25")
    nouns = Survey() >> Nouns() >> bm25
    kinds: dict[str, Names] = {
        "words": (),
        "phrases": ("phrases",),
        "chemistry": ("entities",),
        "biology": ("biology",),
    }
    weighings: dict[str, Weighing] = {"f": "frequency", "t": "tfidf"}
    parts = {"e": "", "a": "claims", "b": "description", "c": "abstract", "d": "title"}
    bpref = {  # by the overview, of the runs with f and with t
        1: "e0.400,0.378 a0.378,0.360 b0.389,0.383 c0.350,0.334 d0.214,0.214",
        2: "e0.393,0.377 a0.342,0.335 b0.334,0.331 c0.350,0.341 d0.199,0.205",
        3: "e0.381,0.373 a0.338,0.337 b0.354,0.351 c0.337,0.329 d0.203,0.211",
        4: "a0.318,0.317 b0.373,0.367 c0.349,0.344",
    }

    def patent(fields: Names, part: str = "", weighing: Weighing = "frequency") -> Step:
        """A search for the best terms of the topic's text or one of its fields, by words or by derived fields."""
        of = (part,) if part else PATENT_FIELDS
        words = BestTerms(100, of, weighing=weighing) >> bm25
        derived = BestTerms(100, fields, weighing=weighing, into="same", of=of) >> bm25
        return Where(fields, then=derived, otherwise=words) if fields else words

    def text(*fields: str) -> Step:
        return Where(fields, then=Survey(fields=fields) >> bm25, otherwise=nouns)

    def runs() -> Iterator[Variant]:
        """The 36 runs of prior art; that of all phrases is also one of the survey."""
        for (number, scores), (kind, fields) in zip(bpref.items(), kinds.items(), strict=True):
            for (letter, *score), (counting, weighing) in product(map(list, scores.split()), weighings.items()):
                part, tfidf = parts[letter], counting == "t"
                name = "-".join(filter(None, (kind, part, "tfidf" if tfidf else "")))
                survey = name == "phrases"
                yield Variant(
                    name,
                    f"{kind} of {f'the {part}' if part else 'all fields'}{' by TF-IDF' if tfidf else ''}",
                    patent(fields, part, weighing),
                    text("phrases") if survey else None,
                    f"SCAI09PA{counting}{number}{letter}" + (" SCAI09TSNP" if survey else ""),
                    f"bpref {''.join(score).split(',')[tfidf]}" + ("; xinfAP 0.244" if survey else ""),
                )

    either = Where(("biology",), then=patent(("entities", "biology")), otherwise=patent(("entities",)))
    together = Fuse((Text() >> bm25, patent(("phrases",)), either), how="linear", weights=(0.7, 0.2, 0.1))
    phrases = Fuse((text("phrases"), nouns), how="linear", weights=(0.7, 0.3))
    entities = Variant(
        "entities", "entities of chemistry and biology", None, text("entities", "biology"), "SCAI09TSPM", "xinfAP 0.153"
    )
    ours = Variant("together", "words, phrases and entities; for texts phrases and nouns", together, phrases)
    return Team((*runs(), entities, ours), "words", "phrases")


def york() -> Team:
    """York University at TREC-CHEM 2009 (york09caPA01, york09ca07): keywords for long queries, synonyms, abbreviations.

    What they did: for prior art an algorithm selected keywords of the long query by statistics of the whole collection.
    For the technical survey chemical terms were expanded with names from ChemIDplus and PubChem, and abbreviations with
    their long forms. They searched with Okapi, and found both algorithms effective.

    What is guessed: york09caPA03 is taken to be the search without the selection. Of the survey runs the overview says
    only that york09ca07 has the expansion. 02, 03 and 04 score 0 for TS-13, which asks for THC, and are taken to be
    without it. 02, 05 and 06, far below the others, are taken to be of the narrative; 03 and 07, the best without and
    with the expansion, of title and narrative; 04 and 08 of the title. How 05 differs from 06 is left out. All weights
    are ours.

    What differs here: the overview does not describe the two algorithms. Keywords here are the 100 terms of each field
    with the largest TF-IDF, without those in more than half of all documents. Synonyms are those of the package
    `chemicals` (names of PubChem and registry numbers; without the package none are added, and the run says so), and
    abbreviations are learned from definitions in the collection, "long form (LF)". Ours are the two apart, and the
    expansion for patents. Left out: the pages of ChemIDplus.
    """
    chemicals = Where(packages=("chemicals",), then=Expand(("chemistry",), weight=0.3))
    abbreviations = Expand(("abbreviations",), weight=0.3)
    expansion = chemicals >> abbreviations
    keywords = BestTerms(100) >> DropTerms(most=0.5)
    okapi = Search("bm25(k1=1.2, b=0.35)")

    title, narrative = Survey(narrative=0.0), Survey(title=0.0)

    variants = (
        Variant(
            "words",
            "all words; no expansion",
            Text() >> okapi,
            Survey() >> okapi,
            "york09caPA03 york09ca03",
            "MAP 0.034; xinfAP 0.214",
        ),
        Variant("title", "title", None, title >> okapi, "york09ca04", "xinfAP 0.171"),
        Variant("narrative", "narrative", None, narrative >> okapi, "york09ca02", "xinfAP 0.110"),
        Variant(
            "title-expanded", "the title, expanded", None, title >> expansion >> okapi, "york09ca08", "xinfAP 0.254"
        ),
        Variant(
            "narrative-expanded",
            "narrative, expanded",
            None,
            narrative >> expansion >> okapi,
            "york09ca05 york09ca06",
            "xinfAP 0.064, 0.070",
        ),
        Variant("keywords", "selected keywords", keywords >> okapi, None, "york09caPA01", "MAP 0.057; keywords help"),
        Variant("synonyms", "names of chemicals added", keywords >> chemicals >> okapi, Survey() >> chemicals >> okapi),
        Variant(
            "abbreviations", "long forms added", keywords >> abbreviations >> okapi, Survey() >> abbreviations >> okapi
        ),
        Variant(
            "expanded",
            "keywords; synonyms and abbreviations",
            keywords >> expansion >> okapi,
            Survey() >> expansion >> okapi,
            "york09ca07",
            "xinfAP 0.291, the expansion helps",
        ),
    )
    return Team(variants, "keywords", "expanded")
