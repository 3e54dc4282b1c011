"""Ovid: `(film or foil).ti,ab.`, `film adj3 metal`, `exp Polymers/`, `or/1-3`, `limit 4 to yr="2008-2010"`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

_SUB = r"(?:/(?P<sub>[a-z]{2}(?:,\s?[a-z]{2})*)?)(?![\w/])"
_NAME = r"[^\W\d_][^()/\".\n]{0,90}?(?:\([^()/\n]{1,40}\)[^()/\".\n]{0,60}?)?"

OVID = syntax(
    Syntax(
        name="ovid",
        title="Ovid",
        tags=("dots",),
        fields={"m_titl": "title"}
        | named(
            title="ti",
            abstract="ab",
            title_and_abstract="tw mp ti_ab",
            keywords="kw kf ot nm rn kp",
            all_text="af tx",
            heading="sh hw mh de fs ps",
            inventor="au fa ax",
            published="yr py dp ep",
            language="la lg",
            number="ui an pm",
            nothing="pt jn jw so in is jx nj ae dt sb ed ez da up rd dc",
        ),
        near=(NearRule(r"adj([0-9]{1,2})"), NearRule("adj", ordered=True)),
        levels=(("NEAR", "SAME"), ("AND", "NOT"), ("OR",)),
        wildcards={"*": "many", "$": "many", ":": "many", "#": "one", "?": "maybe"},
        side="phrase",
        default="title,abstract",
        specials=(
            Special(r"/\s?freq\s?=\s?[0-9]+", "nothing"),
            Special(r"use\s+(?P<value>[a-z]{3,9}[0-9]{0,2})(?=\s*\)*\s*$)", "nothing"),
            Special(
                r"\(?\"?(?P<low>[0-9]{4})\"?\s*[:-]\s*\"?(?P<high>[0-9]{4})\"?\)?\.\s?\(?(?:sa_year|yr|year|dp)\)?\.?",
                "years",
            ),
            Special(rf"(?P<exp>exp\s+)?(?P<focus>\*)?\"(?P<value>[^\"/\n]+)\"{_SUB}", "heading"),
            Special(rf"(?P<exp>exp\s+)(?P<focus>\*)?(?P<value>{_NAME}){_SUB}", "heading"),
            Special(
                rf"(?P<focus>\*)?(?P<value>(?:(?!\s(?:and|or|not|adj[0-9]*)\s){_NAME}"
                rf"|[A-Z][^()/\".\n]{{1,40}}\sand\s[A-Z][^()/\".\n]{{1,40}})){_SUB}",
                "heading",
            ),
        ),
        comments=True,
        signs=(
            r"(?<=[\w$*?)\"”])\.\s?(?:[a-z]{2},)*(?:mp|tw|ti|ab|sh|hw|ot|kw|kf|nm|rn|pt|af|tx|au|yr|la|lg)\b(?:\.|,|(?=\s*$))",
            r"(?<![\w'’])(?:exp\s+)?\*?[A-Z][\w ,'()-]{2,80}/(?=[a-z]{2}\b|\s|$|\))(?![^/]*=)",
            r"(?<!\w)exp\s+\*?[^\s/\[][^/\n\[]{1,80}/",
            r"(?<=\s)adj[0-9]*(?=[\s(])",
            r"^\W*(?:[0-9]+\W+)?(?:and|or)/[0-9]",
            r"(?<!\w)limit\s+[0-9]+\s+to\s",
        ),
        order="adjN in any order, adj in order; then AND and NOT, then OR",
        writing=Writing(
            tags={"title": "({}).ti.", "abstract": "({}).ab.", "title,abstract": "({}).ti,ab.", "": "({}).af."},
            near="adj{n}",
            before="adj",
            wildcards={"many": "*", "one": "#", "maybe": "?"},
            counted="*{n}",
            heading="{}/",
            exploded="exp {}/",
            focused="*{}/",
            years="{low}:{high}.(sa_year).",
            language="{}.la.",
            name="{}.au.",
            line="{}",
            but="not",
            small=True,
        ),
    )
)
