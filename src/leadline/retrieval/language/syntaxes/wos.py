"""Web of Science: `TS=(film NEAR/3 metal)`, `TI="thin film"`, `PY=2008-2010`, `#1 AND #2`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

WOS = syntax(
    Syntax(
        name="wos",
        title="Web of Science",
        tags=("equals",),
        fields=named(
            title="ti",
            abstract="ab",
            title_and_abstract="ts",
            keywords="ak kp de id",
            all_text="all",
            inventor="au a1",
            published="py fpy dop pd",
            language="la",
            number="ut pmid",
            heading="mh mhx mq",
            nothing="so dt ad og oo wc su is do fo gp cu",
        ),
        near=(
            NearRule(r"near/([0-9]{1,3})", 1),
            NearRule("near", default=16),
            NearRule("same", same="sentence"),
        ),
        levels=(("NEAR",), ("SAME",), ("NOT",), ("AND",), ("OR",)),
        wildcards={"*": "many", "?": "one", "$": "maybe"},
        side="AND",
        forms="all",
        specials=(
            Special(
                r"(?P<field>dop|pd)\s*=\s*\(?\"?(?P<low>[0-9]{4}(?:-[0-9]{2}){0,2})/(?P<high>[0-9]{4}(?:-[0-9]{2}){0,2})\"?\)?",
                "years",
            ),
            Special(r"languages?\s*:\s*\((?P<value>[^()]+)\)", "limit"),
            Special(r"(?:document types?|indexes|databases?)\s*:\s*\([^()]+\)", "nothing"),
            Special(r"(?:timespan|indexes)\s*[=:]\s*(?P<value>\S.*)", "limit"),
        ),
        signs=(
            r"(?<!\w)TS\s?=",
            r"(?<!\w)(?:TI|AB|AK|KP|AU|PY|LA|SO|DT|WC|ALL)\s?=\s?[\"“(\w*]",
        ),
        order="NEAR/n in any order (n words between; 15 without a number), then SAME, NOT, AND, OR",
        writing=Writing(
            tags={"title": "TI=({})", "abstract": "AB=({})", "title,abstract": "TS=({})", "": "ALL=({})"},
            near="NEAR/{n}",
            less=1,
            same={"sentence": "SAME"},
            wildcards={"many": "*", "one": "?", "maybe": "$"},
            years="PY={low}-{high}",
            language="LA={}",
            name="AU={}",
        ),
    )
)
