"""The Cochrane Library: `film:ti,ab,kw`, `film NEAR/3 metal`, `[mh "Polymers"]`, `{or #1-#3}`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

_QUALIFIERS = r"(?:(?:\s+and)?\s+with\s+qualifiers?(?:\(s\))?:?\s*\[(?P<sub>[^\]\n]+)\])?"

COCHRANE = syntax(
    Syntax(
        name="cochrane",
        title="Cochrane Library",
        tags=("colon",),
        fields=named(
            title="ti",
            abstract="ab",
            keywords="kw ky",
            heading="mh",
            all_text="tx all",
            inventor="au",
            published="yr py dt",
            language="la",
            number="an",
            nothing="pt so doi crg cc",
        ),
        near=(
            NearRule(r"near/([0-9]{1,3})"),
            NearRule("near", default=6),
            NearRule(r"next/([0-9]{1,3})", ordered=True),
            NearRule("next", ordered=True),
        ),
        levels=(("NEAR", "SAME"), ("NOT",), ("AND",), ("OR",)),
        wildcards={"*": "many", "?": "one"},
        side="AND",
        specials=(
            Special(
                r"\[mh\s+(?P<noexp>\^)?\s*\"?(?P<value>[^\[\]\"/]{1,150})\"?(?:/(?P<sub>[A-Za-z, ]+))?\s*"
                r"(?P<focus>\[mj\])?\s*\]",
                "heading",
            ),
            Special(
                r"mesh\s+descriptor:?\s*\[?\"?(?P<value>[^\]\"\n]+?)\"?\]?\s+(?:(?P<exp>explode\s+(?:all\s+)?trees?"
                rf"(?:\s+[0-9]+(?:,\s*[0-9]+)*)?)|(?P<noexp>this\s+term\s+only)){_QUALIFIERS}",
                "heading",
            ),
            Special(rf"mesh\s+descriptor:?\s*\[(?P<value>[^\]\n]+)\]{_QUALIFIERS}", "heading"),
            Special(
                r"with\s+(?:cochrane\s+library\s+)?publication\s+(?:year|date)\s+(?:from|between)\s+(?:[a-z]{3,9}\s+)?"
                r"(?P<low>[0-9]{4})\s+(?:to|and)\s+(?:[a-z]{3,9}\s+)?(?P<high>[0-9]{4})",
                "years",
            ),
            Special(r"\((?P<value>word variations have been searched)\)", "comment"),
            Special(r",?\s*in\s+(?P<value>trials|cochrane reviews|reviews|protocols|clinical answers)\b.*", "nothing"),
        ),
        signs=(
            r"\[mh\s",
            r"(?i)mesh\s+descriptor:?\s",
            r":(?:ti,ab,kw|ab,ti,kw|ti,kw,ab|kw)(?!\w)",
            r"(?i)(?<=\s)next(?=\s)",
            r"\{(?:or|and|OR|AND)\s+#",
            r"(?i)\(word variations have been searched\)",
            r"(?<=[\w*\")?]):(?:[a-z]{2},)*(?:ti|ab|au|so|pt)(?=[\s,)]|$)",
        ),
        order="NEAR/n in any order, NEAR alone 6, NEXT in order; then NOT, AND, OR",
        writing=Writing(
            tags={"title": "({}):ti", "abstract": "({}):ab", "title,abstract": "({}):ti,ab", "": "({})"},
            near="NEAR/{n}",
            before="NEXT/{n}",
            wildcards={"many": "*", "one": "?"},
            heading='[mh ^"{}"]',
            exploded='[mh "{}"]',
            name="({}):au",
            in_phrases=False,
        ),
    )
)
