"""Espacenet: `ti=film`, `ta all "thin film"`, `pn=EP1000000*`, `cpc=C08J5/18`, `pd within "2008 2010"`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

ESPACENET = syntax(
    Syntax(
        name="espacenet",
        title="Espacenet",
        tags=("equals",),
        fields=named(
            title="ti",
            abstract="ab",
            title_and_abstract="ta",
            claims="claims clms",
            description="desc",
            all_text="txt ftxt ctxt nftxt ft",
            applicant="pa",
            inventor="in",
            applicant_and_inventor="ia",
            number="pn num spn",
            published="pd",
            filed="ad",
            priority="prd",
            ipc="ipc ic ci",
            cpc="cpc cpca cpcc",
            **{"class": "cl cls"},
            cites="ct",
            family="famn",
            nothing="ap pr opponent",
        ),
        near=(
            NearRule(r"prox/(?:distance\s*<\s*([0-9]{1,3})(?:/(?:ordered=false|unordered))?)", -1),
            NearRule(r"prox/(?:distance\s*<=\s*([0-9]{1,3})(?:/(?:ordered=false|unordered))?)"),
            NearRule(r"prox/(?:distance\s*=\s*([0-9]{1,3})(?:/(?:ordered=false|unordered))?)"),
            NearRule(r"prox/(?:distance\s*<\s*([0-9]{1,3})/ordered(?:=true)?)", -1, ordered=True),
            NearRule(r"prox/(?:distance\s*<=\s*([0-9]{1,3})/ordered(?:=true)?)", ordered=True),
            NearRule(r"prox/unit=sentence", same="sentence"),
            NearRule(r"prox/unit=paragraph", same="paragraph"),
            NearRule(r"prox/ordered(?:=true)?", ordered=True),
            NearRule(r"prox/unordered"),
            NearRule(r"near/([0-9]{1,3})"),
        ),
        levels=(("NEAR", "SAME"), ("AND", "OR", "NOT")),
        wildcards={"*": "many", "?": "maybe", "#": "one"},
        side="AND",
        one_word=True,
        specials=(
            Special(r"(?P<field>cpc|ipc|cl)\s*=\s*\"?/low\s+(?P<value>[A-HY][0-9A-Z/]*)\"?", "all"),
            Special(r"prox/[^\s()]+", "nothing"),  # a form of it that is none, or with nothing before it
            Special(r"(?:pr|ap|opponent)\s*(?:>=|<=|>|<)\s*\S+", "nothing"),
            Special(r"(?P<field>[a-z]{2,6})\s+any\s+\"(?P<value>[^\"]+)\"", "any"),
            Special(r"(?P<field>[a-z]{2,6})\s+all\s+\"(?P<value>[^\"]+)\"", "all"),
            Special(
                r"(?P<field>pd|ad|prd)\s+within\s+\"?(?P<low>[0-9/.-]{4,10})[\s,]+(?P<high>[0-9/.-]{4,10})\"?", "years"
            ),
            Special(
                r"(?P<field>pd|ad|prd)\s*=\s*\[\s*(?P<low>[0-9/.-]{4,10})(?:\s+to\s+|[\s,]+)(?P<high>[0-9/.-]{4,10})\s*\]",
                "years",
            ),
            Special(
                r"(?P<field>pd|ad|prd)\s*=\s*\"?(?P<low>[0-9]{4,8})\s*[:-]\s*(?P<high>[0-9]{4,8})\"?(?!\w)", "years"
            ),
            Special(r"(?P<field>pd|ad|prd)\s*(?P<op>>=|<=|=|>|<)\s*\"?(?P<value>[0-9][0-9/.-]{3,9})\"?", "years"),
        ),
        signs=(
            r"(?<![\w.])(?:ti|ab|ta|txt|ftxt|claims|desc|pa|in|ia|pn|ap|pr|pd|ipc|cpc|cl|ct|num)\s?=\s?[\"“(\w*]",
            r"(?<![\w.])(?:ti|ab|ta|txt|cl|pa|in|cpc|ipc|claims)\s+(?:all|any)\s+[\"“]",
            r"(?<!\w)prox/",
            r"(?<!\w)pd\s+within\s",
            r"(?<![\w.])pd\s?[<>]=?\s?[0-9]",
        ),
        order="prox first, then AND, OR and NOT from left to right",
        writing=Writing(
            tags={
                "title": "ti=({})",
                "abstract": "ab=({})",
                "title,abstract": "ta=({})",
                "claims": "claims=({})",
                "description": "desc=({})",
                "applicant": 'pa="{}"',
                "number": "pn={}",
                "class": "cl={}",
                "ipc": "ipc={}",
                "cpc": "cpc={}",
                "cites": "ct={}",
                "": "ftxt=({})",
            },
            near="prox/distance<={n}",
            before="prox/distance<={n}/ordered=true",
            same={"sentence": "prox/unit=sentence", "paragraph": "prox/unit=paragraph"},
            wildcards={"many": "*", "one": "#", "maybe": "?"},
            years='pd within "{low} {high}"',
            days='pd within "{low} {high}"',
            name='in="{}"',
        ),
    )
)
