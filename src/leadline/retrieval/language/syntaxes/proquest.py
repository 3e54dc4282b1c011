"""ProQuest: `TI,AB(film NEAR/3 metal)`, `ti("thin film")`, `MESH.EXACT("Polymers")`, `S1 AND S2`, `YR(2008-2010)`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

PROQUEST = syntax(
    Syntax(
        name="proquest",
        title="ProQuest",
        tags=("call",),
        fields=named(
            title="ti title",
            abstract="ab abstract",
            title_and_abstract="noft",
            keywords="if diskw",
            all_text="all ft",
            heading="su mesh mjmesh emb mjemb mainsubject subject",
            inventor="au author",
            published="pd yr py",
            language="la language ln",
            number="an id pmid",
            nothing="pub pubtitle dtype stype at rtype issn",
        ),
        near=(
            NearRule(r"near/([0-9]{1,3})"),
            NearRule(r"n/([0-9]{1,3})"),
            NearRule(r"near", default=4),
            NearRule(r"pre/([0-9]{1,3})", ordered=True),
            NearRule(r"p/([0-9]{1,3})", ordered=True),
            NearRule(r"pre", default=4, ordered=True),
        ),
        levels=(("NEAR", "SAME"), ("AND",), ("OR",), ("NOT",)),
        wildcards={"*": "five", "?": "one", "$": "many"},
        side="AND",
        forms="all",
        specials=(
            Special(r"(?:la|ln|language)\.exact\s*\(\s*(?P<value>[^()]+?)\s*\)", "limit"),
            Special(r"(?:[a-z]?type|at|pub|pubtitle|publoc|subt)\.exact\s*\([^()]*\)", "nothing"),
            Special(
                r"(?P<focus>MJ)?(?:MESH|EMB|SU|MAINSUBJECT|THES)\.EXACT(?P<exp>\.EXPLODE)?\s*\(\s*\"(?P<value>[^\"\n]+?)"
                r"(?:\s--\s(?P<sub>[^\"]+))?\"\s*\)",
                "heading",
            ),
            Special(
                r"(?:PD|YR|PY)\s*\(\s*(?P<op>>=|<=|=|>|<)?\s*(?P<value>[0-9]{4,8}(?:\s*-\s*[0-9]{0,8})?)\s*\)", "years"
            ),
        ),
        signs=(
            r"(?<![\w.-])(?i:(?:ti|ab|su|noft|all|if|mesh|au),(?:ti|ab|su|if))\s?\(",
            r"(?<![\w.-])(?:ti|ab|su|noft|NOFT|TI|AB|SU|AU|au|LA|la|YR|PD)\s?\((?!\s*[a-z]\))",
            r"(?:MESH|EMB|SU|MAINSUBJECT)\.EXACT",
            r"(?<=\s)(?i:[np]/[0-9])",
            r"\[S[0-9]{1,3}\]",
        ),
        order="NEAR/n in any order, PRE/n in order; then AND, OR, NOT",
        writing=Writing(
            tags={"title": "TI({})", "abstract": "AB({})", "title,abstract": "TI,AB({})", "": "ALL({})"},
            near="NEAR/{n}",
            before="PRE/{n}",
            wildcards={"many": "[*20]", "one": "?"},
            counted="[*{n}]",
            heading='MAINSUBJECT.EXACT("{}")',
            exploded='MAINSUBJECT.EXACT.EXPLODE("{}")',
            years="YR({low}-{high})",
            days="PD({low}-{high})",
            language="LA({})",
            name="AU({})",
            line="S{}",
        ),
    )
)
