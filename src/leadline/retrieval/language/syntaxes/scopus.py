"""Scopus: `TITLE-ABS-KEY(film W/3 metal)`, `TITLE("thin film")`, `PUBYEAR > 2009`, `LANGUAGE(english)`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

SCOPUS = syntax(
    Syntax(
        name="scopus",
        title="Scopus",
        tags=("call",),
        fields=named(
            title="title",
            abstract="abs",
            title_and_abstract="title-abs-key title-abs title-abs-key-auth",
            keywords="key authkey exactkeyword chemname tradename casregnumber",
            heading="indexterms",
            all_text="all",
            inventor="auth author-name authlastname authfirst authlast firstauth",
            language="language",
            published="pubyear pubdatetxt",
            number="pmid eid",
            nothing="srctitle doctype affil affilcountry affilcity issn subjarea srctype exactsrctitle doi refeid ref "
            "conf fund-sponsor",
        ),
        near=(NearRule(r"w/([0-9]{1,3})", 1), NearRule(r"pre/([0-9]{1,3})", 1, ordered=True)),
        levels=(("OR",), ("NEAR", "SAME"), ("AND",), ("NOT",)),
        wildcards={"*": "many", "?": "one"},
        side="AND",
        forms="plurals",
        exact_brackets=True,
        specials=(
            Special(r"PUBYEAR\s*(?P<op>>=|<=|=|>|<|IS|AFT|BEF)\s*(?P<value>[0-9]{4})", "years"),
            Special(r"LIMIT-TO\s*\(\s*PUBYEAR\s*,\s*\"?(?P<value>[0-9]{4})\"?\s*\)", "years"),
            Special(r"LIMIT-TO\s*\(\s*LANGUAGE\s*,\s*\"?(?P<value>[A-Za-z]+)\"?\s*\)", "language"),
            Special(r"(?:LIMIT-TO|EXCLUDE)\s*\(\s*(?P<value>[A-Z]+\s*,\s*\"?[^\")]*\"?)\s*\)", "nothing"),
        ),
        signs=(
            r"(?<![\w-])(?:TITLE|ABS|KEY|AUTH|INDEXTERMS|LANGUAGE|ALL|AUTHKEY|SRCTITLE|DOCTYPE)(?:-[A-Z]+)*\s?\(",
            r"(?<!\w)PUBYEAR\s*(?:>|<|=|IS|AFT|BEF)",
            r"(?<!\w)LIMIT-TO\s*\(",
        ),
        order="OR first, then W/n in any order and PRE/n in order (n words between), then AND, then AND NOT",
        writing=Writing(
            tags={"title": "TITLE({})", "abstract": "ABS({})", "title,abstract": "TITLE-ABS({})", "": "ALL({})"},
            near="W/{n}",
            before="PRE/{n}",
            less=1,
            wildcards={"many": "*", "one": "?"},
            heading='INDEXTERMS("{}")',
            years="(PUBYEAR > {low_before} AND PUBYEAR < {high_after})",
            language="LANGUAGE({})",
            name="AUTH({})",
            but="AND NOT",
            in_phrases=False,
        ),
    )
)
