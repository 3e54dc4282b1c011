"""Embase: `film:ti,ab`, `(film NEAR/3 metal):ti`, `'polymer'/exp`, `[2008-2010]/py`, `[english]/lim`, `#1 AND #2`."""

from leadline.retrieval.language.syntax import NearRule, Special, Syntax, Writing, named, syntax

EMBASE = syntax(
    Syntax(
        name="embase",
        title="Embase",
        tags=("colon",),
        fields=named(
            title="ti tt",
            abstract="ab",
            keywords="kw tn df mn dn rn",
            all_text="all",
            heading="de ct cl lnk",
            inventor="au af",
            published="py pd sd",
            language="la",
            number="an ui pui",
            nothing="it jt ta ad oc is ff sp ca dt",
        ),
        near=(
            NearRule(r"near/([0-9]{1,3})"),
            NearRule(r"next/([0-9]{1,3})", ordered=True),
            NearRule("next", ordered=True),
            NearRule("near"),
        ),
        levels=(("NEAR", "SAME"), ("AND", "OR", "NOT")),
        wildcards={"*": "many", "?": "one", "$": "maybe"},
        side="AND",
        quotes="\"'",
        specials=(
            Special(
                r"(?P<exp>exp\s+)?['\"](?P<value>[^'\"/\n]+)['\"]/(?P<op>exp|de|mj|syn|dd_[a-z]+(?:,\s?dd_[a-z]+)*|br|cd)(?P<focus>/mj)?"
                r"(?:/(?P<sub>[a-z_]+(?:,\s?[a-z_]+)*))?(?!\w)",
                "heading",
            ),
            Special(r"(?P<value>[^\W\d_][\w-]*)/(?P<op>exp|de|mj|syn)(?P<focus>/mj)?(?P<sub>(?!))?(?!\w)", "heading"),
            Special(r"(?:'[^'\n]{1,90}'|\"[^\"\n]{1,90}\"|[^\W\d_][\w-]*)/(?:it|jt|ta|dt|cy|df)(?!\w)", "nothing"),
            Special(r"\[(?P<value>[0-9][0-9 -]*|-[0-9 ]+)\]/(?:py|sd|pd)(?!\w)", "years"),
            Special(r"\[(?P<value>[^\]]{1,60})\]/(?:lim|py|sd|dt)(?!\w)", "limit"),
            Special(r"(?P<low>[0-9]{4})\s*:\s*(?P<high>[0-9]{4}):(?:py|pd)(?!\w)", "years"),
        ),
        signs=(
            r"['’]/(?:exp|de|mj|syn)(?!\w)",
            r"(?<=[\w*'\")?$]):(?:[a-z]{2},)*(?:ti|ab|de|tn|au|py|la|it)(?=[\s,)]|$)(?!,kw)",
            r"\]/(?:lim|py|sd)(?!\w)",
            r"(?i)(?<=\s)next/[0-9]",
        ),
        order="NEAR/n in any order, NEXT/n in order; then AND, OR and NOT from left to right",
        writing=Writing(
            tags={"title": "({}):ti", "abstract": "({}):ab", "title,abstract": "({}):ti,ab", "": "({})"},
            near="NEAR/{n}",
            before="NEXT/{n}",
            wildcards={"many": "*", "one": "?", "maybe": "$"},
            phrase="'{}'",
            heading="'{}'/de",
            exploded="'{}'/exp",
            focused="'{}'/mj",
            years="[{low}-{high}]/py",
            language="[{}]/lim",
            name="'{}':au",
        ),
    )
)
