"""STN: `film/TI`, `(film(3A)metal)/TI,AB`, `film(W)metal`, `polym?`, `L1 AND L2`, `2008-2010/PY`."""

import re

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

STN = syntax(
    Syntax(
        name="stn",
        title="STN",
        tags=("slash",),
        fields=named(
            title="ti tien",
            abstract="ab aben",
            title_and_abstract="bi tiab",
            claims="clm clmen mclm",
            description="desc detd",
            all_text="biex",
            heading="ct it st cv",
            applicant="pa cs paa",
            inventor="in au ina",
            number="pn",
            published="py pd",
            filed="ay ad",
            priority="pry prd",
            ipc="ipc ic icm ipci",
            cpc="cpc cpcn",
            language="la",
            **{"class": "cl"},
            kind="pk",
            office="pc",
            cites="re rpn",
            nothing="rn so jt dt sc fs",
        ),
        near=(
            NearRule(r"\(\s*([0-9]{0,4})\s*W\s*\)", 1, ordered=True),
            NearRule(r"\(\s*([0-9]{0,4})\s*[AN]\s*\)", 1),
            NearRule(r"\(\s*S\s*\)", same="sentence"),
            NearRule(r"\(\s*P\s*\)", same="paragraph"),
            NearRule(r"\(\s*L\s*\)", same="paragraph"),
        ),
        levels=(("NEAR",), ("SAME",), ("AND", "NOT"), ("OR",)),
        wildcards={"?": "many", "#": "maybe", "!": "one"},
        side="phrase",
        command=re.compile(r"^\s*(?:=>\s*)?(?:[0-9]+\s+)?(?:S|SEA|SEARCH|QUE)\s+(?:\w+=\S+\s+)*(?=\S)"),
        specials=(
            Special(
                r"(?P<field>PY|PD|AY|AD|PRY|PRD)\s*(?P<op>>=|<=|=>|=<|=|>|<)\s*(?P<value>[0-9]{4,8}(?:\s*-\s*[0-9]{4,8})?)",
                "years",
            ),
            Special(r"(?P<value>[0-9]{4,8}(?:\s*-\s*[0-9]{0,8})?)/(?P<field>PY|PD|AY|AD|PRY|PRD)(?!\w)", "years"),
        ),
        signs=(
            r"(?<=[\w?!#)\"”])/(?:TI|AB|BI|CLM|IN|AU|PA|CS|PN|IPC|IC|CPC|PY|PD|CT|RN|LA|TIEN|ABEN)(?![\w/])",
            r"(?<=[\w?!#) ])\((?:[0-9]*[WAN]|[SPL])\)(?=[\s\w(\"])",
            r"(?<!\w)L[0-9]{1,3}\s+(?:AND|OR|NOT|and|or|not)\s+L[0-9]",
            r"(?<!\w)(?:PY|PD|AY|PRY)\s?(?:>=|<=|=>|=<|=|>|<)\s?[0-9]",
            r"^=>\s*(?:S|SEA|SEARCH)\s",
        ),
        order="(nW) in order and (nA) in any, n words between, then (S), (P) and (L), then AND and NOT, then OR",
        writing=Writing(
            tags={
                "title": "({})/TI",
                "abstract": "({})/AB",
                "title,abstract": "({})/TI,AB",
                "claims": "({})/CLM",
                "applicant": "({})/PA",
                "number": "{}/PN",
                "ipc": "{}/IPC",
                "cpc": "{}/CPC",
                "": "({})/BI",
            },
            near="({n}A)",
            before="({n}W)",
            less=1,
            same={"sentence": "(S)", "paragraph": "(P)"},
            wildcards={"many": "?", "one": "!", "maybe": "#"},
            heading="{}/CT",
            exploded="{}+NT/CT",
            years="{low}-{high}/PY",
            days="{low}-{high}/PD",
            language="{}/LA",
            name="({})/AU",
            line="L{}",
        ),
    )
)
