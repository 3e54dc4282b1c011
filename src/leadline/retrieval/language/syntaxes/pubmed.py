"""PubMed: `film[ti]`, `"thin film"[tiab]`, `"Polymers"[Mesh]`, `"thin film"[tiab:~2]`, `2008:2010[dp]`, `#1 AND #2`."""

import re

from leadline.retrieval.language.syntax import Special, Syntax, Writing, named, syntax

_DATE = r"\"?(?P<{}>[0-9]{{4}}(?:/[0-9]{{1,2}}){{0,2}})\"?"
_DATES = r"\[(?:dp|pdat|date - publication|publication date|edat|crdt)\]"

PUBMED = syntax(
    Syntax(
        name="pubmed",
        title="PubMed",
        tags=("brackets",),
        fields=named(
            title="ti title tt transliterated_title",
            abstract="ab abstract",
            title_and_abstract="tiab title/abstract tw text_word text_words textword",
            all_text="all all_fields",
            keywords="ot other_term nm supplementary_concept rn ec/rn_number",
            heading="mh mesh mesh_terms mesh_term majr mesh_major_topic mesh_heading pa pharmacological_action",
            inventor="au author fau 1au lastau full_author_name author_-_first author_-_last",
            published="dp pdat date_-_publication publication_date edat crdt",
            language="la lang language",
            number="pmid uid",
            nothing="pt publication_type ptyp ta jour journal so sh subheading mesh_subheading ad affiliation sb "
            "filter subset is gr",
        ),
        near=(),
        levels=(("NEAR", "SAME"), ("AND", "OR", "NOT")),
        wildcards={"*": "many"},
        side="phrase",
        command=re.compile(r"^\s*Search:?\s+(?=[(\"])"),
        specials=(
            Special(r"(?:filters?|sort by):\s*(?P<value>\S.*)", "limit"),
            Special(r"(?:has|no)abstract(?:\[\w+\])?(?![\w*])", "nothing"),
            Special(rf"{_DATE.format('low')}\s*(?:{_DATES})?\s*:\s*{_DATE.format('high')}\s*{_DATES}", "years"),
        ),
        signs=(
            r"(?i)\[\s?(?:tiab|tw|ti|ab|mesh|mh|majr|sh|pt|la|dp|pdat|au|all|ot|title/abstract|text\s?words?"
            r"|(?:mesh|all|title|subheading|date -)[ a-z]{0,20})(?::(?:noexp|~[0-9]+))?\s?\]",
        ),
        order="[tiab:~n] in any order; AND, OR and NOT from left to right",
        writing=Writing(
            tags={"title": "{}[ti]", "abstract": "{}[ab]", "title,abstract": "{}[tiab]", "": "{}[all]"},
            near="~{n}",
            less=1,
            wildcards={"many": "*"},
            heading='"{}"[Mesh:NoExp]',
            exploded='"{}"[Mesh]',
            focused='"{}"[Majr:NoExp]',
            years="{low}:{high}[dp]",
            days="{low}:{high}[dp]",
            language="{}[la]",
            name="{}[au]",
        ),
    )
)
