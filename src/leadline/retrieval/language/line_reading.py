"""Read a line of a strategy in the syntax of another search system, as the tree that the one matcher takes.

(film$ adj3 metal).ti,ab.      title,abstract:(film* NEAR/3 =metal)
exp Polymers/                  a heading
or/1-3                         #1 OR #2 OR #3
limit 4 to yr="2008-2010"      #4 AND published:2008..2010
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from leadline.errors import nearest
from leadline.retrieval.language.line_values import LineValues
from leadline.retrieval.language.line_words import (
    LinePart,
    ReadLine,
    limits_in,
    plain,
    short,
    with_our_wildcards,
)
from leadline.retrieval.language.syntax import HEADING, NOTHING, Syntax, like_others
from leadline.retrieval.language.tree import (
    FILTERS,
    And,
    Near,
    Node,
    Or,
    Same,
    Saved,
    Side,
    WordOrPhrase,
    is_exclusion,
    together,
)

DEEPEST = 100  # parentheses within parentheses
LONGEST = 200_000  # characters of a line
FAR = 99_999  # words


_BOOLEAN = re.compile(
    r"(?:(?P<word>and\s*not|but\s*not|and|or|not)(?![\w.:/=*$?-]|\[)|\(\s*not(?P<place>[awslp]?)\s*\))", re.IGNORECASE
)
_OWN_SIGNS = ("tag", "near", "field", "node", "ref")  # parts that only a line in the syntax of its system has
_REFERENCE = re.compile(r"[#SL]\s?([0-9]{1,4})(?:\s*-\s*[#SL]?\s?([0-9]{1,4}))?(?![\w*?$./-])", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\{?\(?(and|or)\s*/?\s*((?:[#SL]?[0-9]{1,4}\s*(?:[-–]\s*[#SL]?[0-9]{1,4})?)(?:\s*,\s*[#SL]?[0-9]{1,4}\s*(?:[-–]\s*[#SL]?[0-9]{1,4})?)*)\)?\}?",
    re.IGNORECASE,
)  # fmt: skip
_NUMBERS = re.compile(r"[#SL]?([0-9]{1,4})(?:\s*[-–]\s*[#SL]?([0-9]{1,4}))?", re.IGNORECASE)
_DUPLICATES = re.compile(r"remove duplicates from ([0-9]{1,4})", re.IGNORECASE)
_LIMIT = re.compile(r"(?:\.\.l/|limit\s+)[#SL]?([0-9]{1,4})\s*(?:to\s+)?(.+)", re.IGNORECASE)
_SETS_ALONE = re.compile(r"[#SL0-9\s(){}\[\],./-]|and|or|not", re.IGNORECASE)
_RUN = re.compile(r"[^\s()\"“”\[\]{}]+")
_COMMENT = re.compile(r"\[[^\]]*\]")


def read_line(text: str, syntax: Syntax, numbers: Sequence[int] = ()) -> ReadLine:
    """A line as it is understood; `numbers` are those of the lines before it.

    >>> from leadline.retrieval.language.syntax import SYNTAXES
    >>> read_line("(film$ adj3 metal).ti,ab.", SYNTAXES["ovid"]).query
    'title,abstract:(film* NEAR/3 =metal)'
    >>> read_line("or/1-2", SYNTAXES["ovid"], [1, 2]).query
    '#1 OR #2'
    """
    if len(text) > LONGEST:
        return ReadLine(None, (f"has {len(text):,} characters; at most {LONGEST:,} are read",))
    reader = _LineReader(plain(text), syntax, numbers)
    tree = reader.read()
    if tree is None and not reader.changed:
        reader.change("has no word to search for")
    if not any(part.kind in _OWN_SIGNS for part in reader.parts) and (others := like_others(text, syntax)):
        reader.change(f"was read as {syntax.title}, and looks like {others}: name it with --syntax")
    return ReadLine(tree, tuple(reader.changed), tuple(reader.said))


class _LineReader(LineValues):
    """The text of a line, the parts read so far, and what there is to say of them."""

    def __init__(self, text: str, syntax: Syntax, numbers: Sequence[int]) -> None:
        super().__init__(syntax)
        self.text, self.numbers = text, numbers
        self.parts: list[LinePart] = []
        self.at = 0
        self.values: Sequence[str] = ()  # the filter that a parenthesis is the value of
        self.depth: list[bool] = []  # for each open parenthesis whether it groups; else it is in a name
        self.place = 0  # among the parts, while they are parsed
        self.run_end = 0  # of the words side by side that were looked at last

    def read(self) -> Node | None:
        command = self.syntax.command.match(self.text) if self.syntax.command else None
        if command and re.search("[0-9]", command[0]):
            self.say(f"{command[0].strip()} was left out: a command with its number of results")
        text = self.text = self.text[command.end() if command else 0 :].strip()
        if match := _LIMIT.fullmatch(text.rstrip(".")):
            return self._limited(int(match[1]), match[2])
        if (match := _DUPLICATES.fullmatch(text.rstrip("."))) and int(match[1]) in self.numbers:
            self.say(f"{match[0]}: a document is found once in any case")
            return Saved(int(match[1]))
        if match := _SEVERAL.fullmatch(text.rstrip(".")):
            return self._several(match[1].upper(), match[2])
        sets_alone = bool(re.search("[0-9]", text)) and not _SETS_ALONE.sub("", text)
        while self.at < len(self.text):
            self._part(sets_alone)
        if self.depth:
            self.change("( is never closed: taken as closed at the end")
            self.parts += [LinePart(")")] * sum(self.depth)
        node = self._level(len(self.syntax.levels) - 1)
        while self.place < len(self.parts):  # behind a parenthesis too many
            self.place += 1
            node = together("AND", [node, self._level(len(self.syntax.levels) - 1)])
        return node

    # Cut a line into parts

    def _part(self, sets_alone: bool) -> None:
        sign = self.text[self.at]
        ends_unit = bool(self.parts) and self.parts[-1].kind in ("word", "phrase", "node", ")", "ref", "tag")
        if sign.isspace():
            tag_follows = ends_unit and self._tag()
            self.at += not tag_follows
        elif (ends_unit and (self._tag() or self._operator())) or (not self._inside_word() and self._special()):
            return
        elif self.syntax.comments and sign == "[" and (comment := _COMMENT.match(self.text, self.at)):
            self.say(f"{short(comment[0])} was left out: a comment")
            self.at = comment.end()
        elif not ends_unit and (match := _BOOLEAN.match(self.text, self.at)) and not self._inside_word():
            self._leading(match)
        elif sets_alone and (match := re.compile("[0-9]{1,4}").match(self.text, self.at)):
            self._refer(int(match[0]), match[0], match.end())
        elif (
            (not self._inside_word() and self._reference())
            or self._front_tag()
            or (sign in self.syntax.quotes and not self._inside_word() and self._quoted(sign))
            or (sign == "{" and self._bracketed())
        ):
            return
        elif sign == "(":
            self._open()
        elif sign == ")":
            self._close()
        elif sign.isalnum() or (sign in self.syntax.wildcards and self.text[self.at + 1 : self.at + 2].isalnum()):
            self._word()
        else:
            self._stray(sign)

    def _inside_word(self) -> bool:
        return self.at > 0 and self.text[self.at - 1].isalnum()

    def _leading(self, match: re.Match[str]) -> None:
        """An operator with nothing before it: NOT excludes, others join nothing."""
        kind = self._operator_of(match)
        if kind == "NOT" or (self.parts and self.parts[-1].kind in ("op", "near") and kind != "NOT"):
            self.parts.append(LinePart("op", kind))
        if kind != "NOT":
            self.change(f"{match[0]} has nothing to join: ignored")
            if self.parts and self.parts[-1].kind == "op" and self.parts[-1].text == kind:
                self.parts.pop()
        self.at = match.end()

    def _tag(self) -> bool:
        """A tag behind a part: `.ti,ab.`, `[tiab]`, `:ti,ab`, `/TI`."""
        for pattern in self.syntax.behind:
            if match := pattern.match(self.text, self.at):
                targets = self._targets(match[1], match[0].strip())
                groups = match.groups()
                number = int(groups[2]) + 1 if len(groups) > 2 and groups[2] else 0
                noexp = "noexp" if len(groups) > 1 and groups[1] else ""
                self.parts.append(LinePart("tag", noexp or match[1].lower(), targets=targets, number=number,
                                       at=self.at, end=match.end()))  # fmt: skip
                self.at = match.end()
                return True
        for pattern in self.syntax.unknown:
            if match := pattern.match(self.text, self.at):
                self._unknown_tag(match)
                return True
        return False

    def _unknown_tag(self, match: re.Match[str]) -> None:
        """Tags of which at least one is none of the system."""
        tags = [each.strip().lower() for each in match[1].split(",")]
        known = [each for each in tags if each in self.syntax.fields]
        for each in tags:
            if each not in known:
                near = nearest(each, list(self.syntax.fields))
                self.change(f"{match[0].strip()}: {each} is no field of {self.syntax.title}{near}: left out")
        if known:
            targets = self._targets(",".join(known), match[0].strip())
            self.parts.append(LinePart("tag", match[1].lower(), targets=targets, at=self.at, end=match.end()))
        self.at = match.end()

    def _special(self) -> bool:
        for pattern, meaning in self.syntax.specials_read:
            match = pattern.match(self.text, self.at)
            if match is None or (meaning == "heading" and not self._is_heading(match)):
                continue
            node = _SPECIALS[meaning](self, match)
            if node is None and meaning in ("any", "all"):
                continue
            self.parts.append(LinePart("node", match[0], node, at=self.at, end=match.end()))
            self.at = match.end()
            return True
        return False

    def _is_heading(self, match: re.Match[str]) -> bool:
        """Whether Ovid's name before a stroke is a heading, and not words with `and/or` or an operator between them."""
        if self.syntax.name != "ovid" or '"' in match[0]:
            return True
        name = match["value"]
        if re.search(r"\s(?:or|not|adj[0-9]*)\s|[$*?]|\s(?:and)\s(?![A-Z])", name):
            return False
        return not (name[:1].islower() and re.search(r"\sand\s", name)) and name.lower() not in ("and", "or")

    def _operator(self) -> bool:
        for pattern, rule in self.syntax.near_read:
            if (match := pattern.match(self.text, self.at)) and self._bounded(match):
                number = match[1] if match.groups() else None
                within = min(FAR, (int(number) if number else rule.default - rule.more) + rule.more)
                if within < 1:
                    self.say(f"{match[0]} was taken as next to each other: no distance is below that")
                self.parts.append(LinePart("near", match[0], rule=rule, number=max(1, within)))
                self.at = match.end()
                return True
        match = _BOOLEAN.match(self.text, self.at)
        if match and not self._inside_word() and self._unit_follows(match.end()):
            self.parts.append(LinePart("op", self._operator_of(match)))
            self.at = match.end()
            return True
        return False

    def _operator_of(self, match: re.Match[str]) -> str:
        """AND, OR or NOT; that of STN, which excludes a word in the same sentence alone, is NOT too."""
        if match["place"]:
            self.change(f"{match[0]} was taken as NOT, wherever the word is")
        word = (match["word"] or "not").lower()
        return "NOT" if word.endswith("not") else word.upper()

    def _bounded(self, match: re.Match[str]) -> bool:
        """Whether an operator made of letters begins a word."""
        return not match[0][0].isalnum() or (not self._inside_word() and self._unit_follows(match.end()))

    def _unit_follows(self, place: int) -> bool:
        following = self.text[place : place + 60].lstrip()
        return (
            bool(following) and following[0] not in ").,;]}" and not re.match(r"(?:and|or)\s", following, re.IGNORECASE)
        )

    def _reference(self) -> bool:
        match = re.compile(r"\{?\(?(?:and|or)\s*/", re.IGNORECASE).match(self.text, self.at)
        if (match or self.text[self.at] == "{") and (several := _SEVERAL.match(self.text, self.at)):
            node = self._several(several[1].upper(), several[2])
            self.parts.append(LinePart("node", several[0], node))
            self.at = several.end()
            return True
        match = _REFERENCE.match(self.text, self.at)
        if match is None:
            return False
        first = int(match[1])
        if match[0][0] != "#" and first not in self.numbers:
            return False  # S2 and L5 are words too
        if match[2]:
            text = f"{first}-{match[2]}"
            self.parts.append(LinePart("node", match[0], self._several("OR", text)))
            self.say(f"{match[0]} was taken as any of these lines")
            self.at = match.end()
        else:
            self._refer(first, match[0], match.end())
        return True

    def _refer(self, number: int, written: str, end: int) -> None:
        if number in self.numbers:
            self.parts.append(LinePart("ref", written, Saved(number)))
        else:
            self.change(f"{written}: there is no line {number} before this one: left out")
            self.parts.append(LinePart("node", written, None))
        self.at = end

    def _several(self, operator: str, listed: str) -> Node | None:
        """`or/1-3,7`: lines joined by one operator."""
        numbers: dict[int, None] = {}
        for match in _NUMBERS.finditer(listed):
            first, last = int(match[1]), int(match[2] or match[1])
            numbers |= dict.fromkeys(range(first, min(last, first + 999) + 1))
        missing = [each for each in numbers if each not in self.numbers]
        if missing:
            shown = ", ".join(map(str, missing[:5])) + ("…" if len(missing) > 5 else "")
            self.change(f"{operator.lower()}/{listed.strip()}: there is no line {shown} before this one: left out")
        parts: tuple[Node, ...] = tuple(Saved(each) for each in numbers if each in self.numbers)
        if len(parts) < 2:
            return parts[0] if parts else None
        return Or(parts) if operator == "OR" else And(parts)

    def _limited(self, number: int, written: str) -> Node | None:
        """`limit 5 to (english language and yr="2008-2010")`."""
        if number not in self.numbers:
            self.change(f"limit {number}: there is no line {number} before this one")
            return None
        return self._with_limits(Saved(number), written)

    def _with_limits(self, node: Node, written: str) -> Node:
        filters, unknown = limits_in(written)
        for each in unknown:
            self.change(f"limit to {short(each)}: nothing here tells these documents; it was left out")
        return And((node, *filters)) if filters else node

    def _front_tag(self) -> bool:
        """A field in front of a part: `TI film`, `ti=film`, `TITLE-ABS-KEY(`."""
        if self._inside_word():
            return False
        for pattern in self.syntax.front:
            match = pattern.match(self.text, self.at)
            if match is None:
                continue
            if self.syntax.tags == ("before",) and _BOOLEAN.match(self.text, match.end()):
                continue
            targets = self._targets(match[1], match[0].strip())
            self.parts.append(LinePart("field", match[0].strip(), targets=targets))
            self.at = match.end()
            return True
        unknown = re.compile(r"([A-Za-z][\w-]{0,15})\s?(=\s?)(?=[\"(\w])" if "equals" in self.syntax.tags else
                             r"([A-Z]{2,}(?:[-.][A-Z]+)*)(\s?)(?=\()").match(self.text, self.at)  # fmt: skip
        if unknown and {"equals", "call"}.intersection(self.syntax.tags) and not _BOOLEAN.fullmatch(unknown[1]):
            near = nearest(unknown[1].lower(), list(self.syntax.fields))
            self.change(f"{unknown[1]} is no field of {self.syntax.title}{near}: all texts are searched")
            self.at = unknown.end()
            return True
        return False

    def _quoted(self, sign: str) -> bool:
        end = self.text.find(sign, self.at + 1)
        while sign == "'" and end > 0 and self.text[end + 1 : end + 2].isalnum():  # 'crohn's disease'
            end = self.text.find(sign, end + 1)
        if end < 0:
            if sign != "'":
                self.change(f"{sign} without a second one was ignored")
                self.at += 1
                return True
            return False
        inside = " ".join(self.text[self.at + 1 : end].split())
        if any(map(str.isalnum, inside)):
            self.parts.append(LinePart("phrase", inside, at=self.at, end=end + 1))
        self.at = end + 1
        return True

    def _bracketed(self) -> bool:
        """{as it is written}."""
        end = self.text.find("}", self.at)
        if not self.syntax.exact_brackets or end < 0:
            return False
        self.parts.append(LinePart("phrase", " ".join(self.text[self.at + 1 : end].split()), at=self.at, end=end + 1))
        self.at = end + 1
        return True

    def _open(self) -> None:
        in_name = self._inside_word() and bool(self.parts) and self.parts[-1].kind == "word"
        groups = not in_name and sum(self.depth) < DEEPEST
        if not in_name and not groups:
            self.change(f"parentheses deeper than {DEEPEST} were ignored")
        self.depth.append(groups)
        if groups:
            self.parts.append(LinePart("(", at=self.at))
        self.at += 1

    def _close(self) -> None:
        self.at += 1
        if not self.depth:
            self.change(") without ( was ignored")
        elif self.depth.pop():
            self.parts.append(LinePart(")", end=self.at))

    def _word(self) -> None:
        match = _RUN.match(self.text, self.at)
        assert match  # it begins with a letter or digit
        end = match.end()
        limited = re.compile(r"\[\*([0-9]{1,2})\]").match(self.text, end) if self.syntax.name == "proquest" else None
        for pattern in (*self.syntax.behind, *self.syntax.unknown):
            for tag in pattern.finditer(self.text, self.at, min(len(self.text), end + 60)):
                if self.at < tag.start() < end and self._ends_word(tag):
                    end = tag.start()
                    break
        for pattern, _ in self.syntax.near_read:  # STN: film(W)metal
            if pattern.pattern.startswith(r"\(") and (near := pattern.search(self.text, self.at, end + 8)):
                end = min(end, near.start())
        word = self.text[self.at : end]
        if limited and end == match.end():
            word, end = f"{word}${limited[1]}", limited.end()
        kept = word.rstrip("".join(sign for sign in ",;.:!/'" if sign not in self.syntax.wildcards))
        if not any(map(str.isalnum, kept)):
            self.at = end
            return
        if self._is_set(kept, end):
            self.say(f"{kept} was taken as line {kept}; write it in quotes for the number")
            self._refer(int(kept), kept, end)
            return
        self.parts.append(LinePart("word", kept, at=self.at, end=self.at + len(kept)))
        self.at = end

    def _is_set(self, word: str, end: int) -> bool:
        """Whether a number is alone between operators and is that of a line, as in Ovid's `7 and film.ti.`"""
        if self.syntax.name != "ovid" or not word.isdigit() or len(word) > 4 or int(word) not in self.numbers:
            return False
        before = self.parts[-1].kind if self.parts else "op"
        behind = re.match(r"\s*(?:$|\)|(?:and|or|not|use)\b)", self.text[end : end + 40], re.IGNORECASE)
        return before in ("op", "(") and behind is not None

    def _ends_word(self, tag: re.Match[str]) -> bool:
        """Whether a tag within a run ends it, as in film.ti. and film:ti,ab; e.g. is no tag."""
        behind = self.text[tag.end() : tag.end() + 1]
        return not behind.isalnum()

    def _stray(self, sign: str) -> None:
        """A sign that means nothing here."""
        if sign not in ",;.:-/'[]{}\\|" and not (sign == "*" and self.syntax.name == "ovid"):
            self.say(f"{sign} means nothing here: ignored")
        self.at += 1

    # Parse the parts

    def _kind(self) -> str:
        return self.parts[self.place].kind if self.place < len(self.parts) else "end"

    def _level(self, level: int) -> Node | None:
        """Parts joined by the operators of a level; those of the same level from left to right."""
        if level < 0:
            return self._unit()
        parts, joins = [self._level(level - 1)], ""  # parts, and the operator that joins them
        operators = self.syntax.levels[level]
        while (operator := self._next_operator()) in operators:
            part = self.parts[self.place]
            implied = part.kind not in ("op", "near")
            self.place += not implied
            if operator in ("AND", "OR") and not implied and self._is_not():  # a AND NOT b
                self.place += 1
                operator = "NOT"
            other = self._level(level - 1)
            if part.kind == "near":
                parts = [self._near(together(joins, parts), other, part, fresh=joins != "NEAR")]
                joins = "NEAR"
                continue
            if implied and self.syntax.side == "phrase":
                self.say("parts side by side were taken as AND")
            if joins not in ("", operator):
                parts = [together(joins, parts)]
            joins = operator
            parts.append(other)
        if joins == "OR" and any(is_exclusion(part) for part in parts):
            self.change("NOT without what it takes away from is left out beside OR: it would find nearly everything")
        return together(joins, parts)

    def _is_not(self) -> bool:
        return self._kind() == "op" and self.parts[self.place].text == "NOT"

    def _next_operator(self) -> str:
        kind = self._kind()
        if kind == "near":
            rule = self.parts[self.place].rule
            return "SAME" if rule and rule.same else "NEAR"
        if kind == "op":
            return self.parts[self.place].text
        return "" if kind in ("end", ")") else "AND"

    def _near(self, node: Node | None, other: Node | None, part: LinePart, *, fresh: bool) -> Node | None:
        if node is None or other is None:
            return node or other
        rule = part.rule
        assert rule is not None
        for each in (node, other):
            if isinstance(each, (And, Side, Saved)):
                self.change(f"{part.text} joins words, phrases and choices of them: taken as AND")
                return together("AND", [node, other])
        if rule.same:
            if part.text.strip("( )").upper() == "L":
                self.say("(L) was taken as the same paragraph")
            return Same((node, other), rule.same)
        if isinstance(node, Near) and not fresh:
            ordered = (*node.is_ordered, rule.ordered)
            return Near((*node.parts, other), (*node.within, part.number), ordered if any(ordered) else ())
        return Near((node, other), (part.number,), (True,) if rule.ordered else ())

    def _unit(self) -> Node | None:
        """A part with the fields in front of it and behind it."""
        kind = self._kind()
        if kind == "field":
            field = self.parts[self.place]
            self.place += 1
            inside = self._unit_of(field.targets)
            return self._in_fields(inside, field.targets, field.text)
        if kind == "op":  # NOT at the beginning
            excluded = self.parts[self.place].text == "NOT"
            self.place += 1
            node = self._level(len(self.syntax.levels) - 2)
            return Side((("-", node),)) if excluded and node is not None else node
        if kind in ("end", ")", "near"):
            self.place += kind == "near"
            return None
        return self._unit_of(())

    def _unit_of(self, targets: Sequence[str]) -> Node | None:
        kind, part = self._kind(), self.parts[self.place] if self.place < len(self.parts) else None
        node: Node | None
        if part is None or kind in ("op", ")", "near"):
            return None
        if kind == "(":
            self.place += 1
            before, self.values = self.values, targets if any(each in FILTERS for each in targets) else self.values
            node = self._level(len(self.syntax.levels) - 1) if self._kind() != ")" else None
            self.values = before
            while self._kind() not in (")", "end"):  # an operator that joins nothing
                self.place += 1
                node = together("AND", [node, self._level(len(self.syntax.levels) - 1)])
            self.place += self._kind() == ")"
        elif kind in ("word", "phrase"):
            return self._run(targets)
        else:
            node = part.node
            self.place += 1
        return self._tagged(node)

    def _tagged(self, node: Node | None) -> Node | None:
        while self._kind() == "tag":
            tag = self.parts[self.place]
            self.place += 1
            node = self._in_fields(node, tag.targets, tag.text, within=tag.number)
        return node

    def _run(self, targets: Sequence[str]) -> Node | None:
        """Words and phrases side by side, and the tag behind them."""
        start = self.place
        while self.run_end <= start or (
            self.run_end < len(self.parts) and self.parts[self.run_end].kind in ("word", "phrase")
        ):
            self.run_end = max(self.run_end, start) + 1
        end = self.run_end
        tag = self.parts[end] if end < len(self.parts) and self.parts[end].kind == "tag" else None
        meant = tag.targets if tag else targets or self.values
        whole_value = any(each in FILTERS or each in (HEADING, NOTHING) for each in meant)
        takes_all = self.syntax.side == "phrase" or tag is not None or whole_value or bool(targets)
        if not takes_all or (self.syntax.one_word and targets):
            end, tag = start + 1, None if end > start + 1 else tag
        run = self.parts[start:end]
        self.place = end
        if whole_value:
            text = self.text[run[0].at : run[-1].end]
            inside = text[1:-1] if len(run) == 1 and run[0].kind == "phrase" else text.replace('"', "")
            node: Node = WordOrPhrase(with_our_wildcards(inside, self.syntax)[0], quoted=True)
            if tag is not None:
                self.place += 1
                return self._tagged(self._in_fields(node, tag.targets, tag.text, written=inside))
            return node
        phrase = self.syntax.side == "phrase" and (self.syntax.name != "pubmed" or tag is not None or len(run) == 1)
        near = tag.number if tag else 0
        if near and len(run) == 1:
            return self._tagged_near(run[0], tag)
        nodes: list[Node] = []
        if phrase and not any(each.kind == "phrase" for each in run):
            nodes = [self._leaf(" ".join(each.text for each in run), quoted=len(run) > 1, own_quotes=False)]
        else:
            nodes = [
                self._leaf(each.text, quoted=each.kind == "phrase", own_quotes=each.kind == "phrase") for each in run
            ]
            if len(run) > 1 and self.syntax.name == "pubmed":
                self.say(
                    f"{' '.join(each.text for each in run)[:40]}: PubMed maps words to headings; here all are searched"
                )
        return self._tagged(nodes[0] if len(nodes) == 1 else And(tuple(nodes)))

    def _tagged_near(self, phrase: LinePart, tag: LinePart | None) -> Node | None:
        """`"thin film"[tiab:~2]`: words in any order."""
        assert tag is not None
        self.place += 1
        words = phrase.text.split()
        leaves = tuple(self._leaf(word, quoted=False, own_quotes=True) for word in words)
        node: Node = Near(leaves, (tag.number,) * (len(leaves) - 1)) if len(leaves) > 1 else leaves[0]
        if len(leaves) > 2:
            self.say(f"~{tag.number - 1} of {len(leaves)} words was taken for each and the one before it")
        return self._tagged(self._in_fields(node, tag.targets, tag.text))


_SPECIALS: dict[str, Callable[[_LineReader, re.Match[str]], Node | None]] = {
    "years": _LineReader._years,
    "limit": _LineReader._limit,
    "language": _LineReader._limit,
    "heading": _LineReader._heading,
    "nothing": _LineReader._nothing,
    "comment": _LineReader._comment,
    "lines": lambda reader, match: reader._several("OR", re.sub(r"[\s,]+", ",", match["value"])),
    "any": _LineReader._relation,
    "all": _LineReader._relation,
}
