"""EBSCO: `TI film`, `TI ( film OR foil )`, `film N3 metal`, `(MH "Polymers+")`, `S1 AND S2`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

EBSCO = syntax(
    Syntax(
        name="ebsco",
        title="EBSCO",
        tags=("before",),
        fields=named(
            title="ti",
            abstract="ab",
            title_and_abstract="xb",
            keywords="kw",
            all_text="tx",
            heading="su mw zu",
            inventor="au ar",
            published="py dt pd",
            language="la lg",
            number="an ui pm",
            nothing="so jn pt pz af in is ib em zt zr zs zg rv rt jt vi ip cc pe",
        ),
        near=(NearRule(r"n([0-9]{1,3})", 1), NearRule(r"w([0-9]{1,3})", 1, ordered=True)),
        levels=(("NEAR", "SAME"), ("AND", "NOT"), ("OR",)),
        wildcards={"*": "many", "?": "one", "#": "maybe"},
        side="phrase",
        forms="plurals",
        specials=(
            Special(
                r"(?:(?P<focus>MM|MJ)|MH|DE|SU|ZU)\s+\"(?P<value>[^\"+/\n]+)(?:/(?P<sub>[^\"+]+))?(?P<exp>\+)?"
                r"(?:/(?P<more>[^\"]+))?\"(?P<plus>\+)?",
                "heading",
            ),
            Special(r"(?:PY|DT|PD)\s+(?P<value>[0-9]{4,8}(?:\s*-\s*[0-9]{0,8})?)", "years"),
            Special(r"(?:limiters|narrow by|expanders|search modes)\s*-?\s*(?P<value>\S.*)", "limit"),
        ),
        signs=(
            r"(?<![\w-])(?:TI|AB|TX|SU|AU|MW)\s+[\"“(\w]",
            r"(?<!\w)(?:MH|MM|MJ|DE)\s+[\"“]",
            r"(?<=\s)[NW][0-9]{1,2}(?=\s)",
            r"(?<!\w)S[0-9]{1,3}\s+(?:AND|OR|NOT|and|or|not)\s+S[0-9]",
        ),
        order="Nn in any order and Wn in order, n words between; then AND and NOT, then OR",
        writing=Writing(
            tags={"title": "TI ({})", "abstract": "AB ({})", "title,abstract": "(TI ({}) OR AB ({}))", "": "TX ({})"},
            near="N{n}",
            before="W{n}",
            less=1,
            wildcards={"many": "*", "one": "?", "maybe": "#"},
            heading='(MH "{}")',
            exploded='(MH "{}+")',
            focused='(MM "{}")',
            years="PY {low}-{high}",
            days="DT {low}-{high}",
            language="LA {}",
            name="AU {}",
            line="S{}",
        ),
    )
)
