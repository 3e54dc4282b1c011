"""Strategies of strangers, and the schemes and thesauri that an index keeps: bombs, circles, and lines without end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from harness import attempt

SECONDS = 90.0
SKOS = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"


def strategies() -> Mapping[str, str]:
    """Strategies by what is wrong with them."""
    twice = "".join(f"{n}. {n - 1} or {n - 1}\n" for n in range(2, 200))
    squared = "".join(f"{n}. ({n - 1} and {n - 1}) or ({n - 1} not {n - 1})\n" for n in range(2, 120))
    return {
        "lines that double": f"1. film.ti.\n{twice}",
        "lines that double twice": f"1. film.ti.\n{squared}",
        "lines that name themselves": "1. 1 or film.ti.\n2. 3\n3. 2\n",
        "lines that are not there": "1. 7 or 9999\n",
        "a range without end": "1. film.ti.\n2. or/1-99999999999\n",
        "a number without end": f"{'9' * 5000}. film.ti.\n",
        "parentheses": f"1. {'(' * 40_000}film{')' * 40_000}\n",
        "open parentheses": f"1. {'(' * 40_000}film\n",
        "open lines": "1. (\n" + "film\n" * 30_000,
        "numbers that go on": "1. film\n" + "( 1\n" * 30_000,
        "quotation marks": '1. "' * 20_000,
        "a phrase": f'1. "{"film " * 15_000}"\n',
        "nots": f"1. {'not ' * 20_000}film\n",
        "truncation": "1. *\n2. ?\n3. $.ti.\n4. f*m*.ab.\n5. ????????????????????$\n",
        "near": f"1. a{' adj9 film' * 3000}\n",
        "gaps": f"1. film{' ' * 90_000}x\n2. film\t1{' ' * 90_000}x\n",
        "counts": f"1. film{'  1' * 30_000} x\n",
        "headings": f"1. {'exp ' * 20_000}/\n",
        "commas": f"1. {'film,' * 15_000}.ti,ab,{'ti,' * 5000}.\n",
        "control codes": "1. fi\x1b[2Jlm.ti.\n2. \x9b31m\u202e.ab.\n",
        "a line too long": f"1. {'film or ' * 100_000}\n",
        "too many lines": "film\n" * 50_000,
        "nothing": "\n\n",
        "zero bytes": "1. film\0.ti.\n",
        "half a letter": "1. \udcff.ti.\n",
        "old line ends": "1. film.ti.\r2. metal.ti.\r3. 1 or 2\r",
    }


def attack_strategies(base: Path) -> Iterator[tuple[str, str]]:
    """Run, order and translate each."""
    with attempt(base) as there:
        for name, text in strategies().items():
            (there.work / "s.txt").write_bytes(text.encode("utf-8", "surrogateescape"))
            for how in (
                ["run", "index", "s.txt", "--syntax", "ovid", "--order", "bm25", "-o", "found.csv"],
                ["run", "index", "s.txt", "-f", "tsv"],
                ["translate", "s.txt", "--to", "pubmed"],
            ):
                fault = there.command(["strategy", *how], seconds=SECONDS)
                yield f"leadline strategy {' '.join(how)} with {name}", fault


def _mesh(position: str) -> str:
    return f"*NEWRECORD\nMH = Film\nMN = {position}\nUI = D1\n\n"


def trees() -> Iterator[tuple[str, str, str]]:
    """Schemes and thesauri: their kind, what is wrong with them, and the file."""
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    for root, kind in (("class-scheme", "scheme"), ("IPCScheme", "scheme"), ("DescriptorRecordSet", "thesaurus")):
        text = {
            "class-scheme": '<classification-item level="5"><classification-symbol>C08L{}</classification-symbol>'
            "</classification-item>",
            "IPCScheme": '<ipcEntry kind="u" symbol="C08L{}"/>',
            "DescriptorRecordSet": "<DescriptorRecord><DescriptorUI>D1</DescriptorUI>"
            "<DescriptorName><String>A{}</String></DescriptorName></DescriptorRecord>",
        }[root]
        yield (
            kind,
            f"entities in {root}",
            f'<!DOCTYPE {root} [<!ENTITY e0 "a">{bomb}]><{root}>{text.format("&e11;")}</{root}>',
        )
        outside = '<!ENTITY x SYSTEM "file:///etc/passwd">'
        yield kind, f"a file in {root}", f"<!DOCTYPE {root} [{outside}]><{root}>{text.format('')}&x;</{root}>"
        yield kind, f"depth of {root}", f"<{root}>{'<a>' * 200_000}"
        yield kind, f"{root} that is cut", f"<{root}>{text.format('')}"[:-3]
        yield kind, f"comments before {root}", "<!--" * 16_000 + f"<{root}>"
        yield kind, f"document types before {root}", "<!DOCTYPE x [" * 5000 + f"<{root}>"
        yield kind, f"a name in {root} without end", f"<{root}>{text.format('A' * 20_000_000)}</{root}>"
    levels = '<classification-item level="{}"><classification-symbol>C08L</classification-symbol></classification-item>'
    yield "scheme", "a level of many digits", f"<class-scheme>{levels.format('9' * 5000)}</class-scheme>"
    yield "scheme", "a level that is no number", f"<class-scheme>{levels.format('²')}</class-scheme>"
    yield "thesaurus", "a place of many levels", _mesh("A" + ".1" * 100_000)
    yield "thesaurus", "many places", _mesh("A\nMN = ".join(f"B{n}" for n in range(30_000)))
    yield "thesaurus", "control codes", "*NEWRECORD\nMH = \x1b[2J\x9b31m\u202e\x00\nUI = D1\n"
    yield "thesaurus", "no names", "*NEWRECORD\nUI = D1\n" * 5
    circle = "".join(f'<{n}> skos:prefLabel "n{n}" ; skos:broader <{(n + 1) % 2000}>, <{n}> .\n' for n in range(2000))
    yield "thesaurus", "a circle", SKOS + circle
    every = "".join(f'<{n}> skos:prefLabel "n{n}" ; skos:broader <{n // 2}>, <{n // 3}> .\n' for n in range(1, 20_000))
    yield "thesaurus", "many ways down", SKOS + every
    yield "thesaurus", "one name for all", SKOS + "".join(f'<{n}> skos:prefLabel "film" .\n' for n in range(20_000))
    yield "thesaurus", "brackets", SKOS + "<a> skos:prefLabel " + "[" * 200_000
    yield "thesaurus", "brackets closed first", SKOS + '] ] <a> skos:prefLabel "a" .\n'
    yield "thesaurus", "texts that do not end", SKOS + '"""' + '"" ' * 100_000
    yield "thesaurus", "escapes", SKOS + '<a> skos:prefLabel "' + "\\u0041" * 50_000 + '\\uD800\\U00110000" .\n'
    yield "thesaurus", "an address that is none", SKOS + '@base <http://[x> . <//[> skos:prefLabel "a" .\n'


def attack_trees(base: Path) -> Iterator[tuple[str, str]]:
    """Keep each with an index, and ask for what is under a heading and a class."""
    for kind, name, text in trees():
        with attempt(base) as there:
            (there.work / "tree").write_bytes(text.encode("utf-8", "surrogateescape"))
            arguments = ["index", "collection", "-o", "new", f"--{kind}", "tree", "--workers", "1", "-q"]
            fault = there.command(arguments, seconds=SECONDS)
            if not fault and (there.work / "new" / "manifest.json").is_file():
                (there.work / "s.txt").write_text("1. exp n7/\n2. exp Film/\n3. C08L.ipc.\n4. or/1-3\n")
                run = ["strategy", "run", "new", "s.txt", "--syntax", "ovid"]
                fault = there.command(run, seconds=SECONDS) or there.command(["check", "new"])
            yield f"a {kind} with {name}", fault


CLASSES = {"strategies, schemes and thesauri": (attack_strategies, attack_trees)}
