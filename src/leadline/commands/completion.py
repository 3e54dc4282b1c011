"""Print a script that completes commands, options, choices and files in a shell.

The script holds all that it offers and starts no Python; print it again after an update. It goes into the file
~/.local/share/bash-completion/completions/leadline (bash), _leadline in a folder of $fpath (zsh), or
~/.config/fish/completions/leadline.fish (fish).

Examples:
  leadline completion bash
  leadline completion zsh
  leadline completion fish
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from leadline.commands import command_files, command_module
from leadline.commands.shared.argument_kinds import ArgumentKind, OutputFolder, Value
from leadline.commands.shared.options import choice
from leadline.version import __version__

Lines = list[str]
Cases = Mapping[tuple[str, ...], Lines]  # what to do with each word of several; with all others, what stands for ()
OPTIONS, OTHERS = ("-*",), ()


class Offer(NamedTuple):
    """What may be typed in a place: words, and paths of `files` or `folders`."""

    words: tuple[str, ...] = ()
    paths: str = ""


class Posix:
    """How bash and zsh write what to offer."""

    def offer(self, offer: Offer) -> Lines:
        return [f"choices={shlex.quote(' '.join(offer.words))} paths={offer.paths}"]

    def switch(self, variable: str, cases: Cases) -> Lines:
        """What to do for each value of a variable.

        >>> print(*Posix().switch("word", {OPTIONS: ["one"], ("a b", "c"): ["two"], OTHERS: ["three"]}))
        case $word in -*)   one ;; 'a b'|c)   two ;; *)   three ;; esac
        """
        lines = [f"case ${variable} in"]
        for words, todo in cases.items():
            pattern = "|".join(word if words == OPTIONS else shlex.quote(word) for word in words)
            lines += [f"{pattern or '*'})", *indented(todo), ";;"]
        return [*lines, "esac"]


class Fish:
    """How fish writes it."""

    def offer(self, offer: Offer) -> Lines:
        return [f"set choices {shlex.join(offer.words)}", f"set paths {offer.paths}"]

    def switch(self, variable: str, cases: Cases) -> Lines:
        """What to do for each value of a variable.

        >>> print(*Fish().switch("word", {OPTIONS: ["one"], ("a b", "c"): ["two"], OTHERS: ["three"]}))
        switch $word case '-*'   one case 'a b' c   two case '*'   three end
        """
        lines = [f"switch ${variable}"]
        for words, todo in cases.items():
            lines += [f"case {shlex.join(words or '*')}", *indented(todo)]
        return [*lines, "end"]


# Each sets `name` to the words of the command, `before` to the option that `word` may belong to, and offers what the
# cases set.
BASH = """\
# Completion of leadline {version} in bash, made by `leadline completion bash`.
_leadline() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} name= choices= paths=
    if [[ $before == = ]]; then before=${{COMP_WORDS[COMP_CWORD-2]}}; fi  # --format=tsv is three words
    if [[ $word == = ]]; then word=; fi
    if ((COMP_CWORD > 1)); then name=${{COMP_WORDS[1]}}; fi
    case $name in
    {groups}) if ((COMP_CWORD > 2)); then name+=" ${{COMP_WORDS[2]}}"; fi ;;
    esac
{cases}
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
    if ((${{#COMPREPLY[@]}} == 0)); then
        case $paths in
        files) compopt -o default ;;
        folders) compopt -o dirnames ;;
        esac
    fi
}}
complete -F _leadline leadline"""
ZSH = """\
#compdef leadline
# Completion of leadline {version} in zsh, made by `leadline completion zsh`.
_leadline() {{
    local word=${{words[CURRENT]}} before=${{words[CURRENT-1]}} name= choices= paths=
    if [[ $word == --*=* ]]; then
        before=${{word%%=*}} word=${{word#*=}}
        compset -P '*='
    fi
    if ((CURRENT > 2)); then name=${{words[2]}}; fi
    case $name in
    {groups}) if ((CURRENT > 3)); then name+=" ${{words[3]}}"; fi ;;
    esac
{cases}
    if [[ -n $choices ]]; then compadd -- ${{=choices}}; fi
    case $paths in
    files) _files ;;
    folders) _files -/ ;;
    esac
}}
if [[ $funcstack[1] == _leadline ]]; then _leadline "$@"; else compdef _leadline leadline; fi"""
FISH = """\
# Completion of leadline {version} in fish, made by `leadline completion fish`.
function __leadline_offers
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    set -l before $typed[-1]
    set -l name ''
    set -l choices
    set -l paths
    set -l start ''
    if string match -q -- '--*=*' $word
        set before (string replace -r '=.*' '' -- $word)
        set start $before=
        set word (string replace -r '^[^=]*=' '' -- $word)
    end
    if set -q typed[2]
        set name $typed[2]
    end
    switch $name
        case {groups}
            if set -q typed[3]
                set name "$typed[2] $typed[3]"
            end
    end
{cases}
    for each in $choices
        printf '%s\\n' $start$each
    end
    switch $paths
        case files
            printf '%s\\n' $start(__fish_complete_path $word)
        case folders
            printf '%s\\n' $start(__fish_complete_directories $word '')
    end
end
complete -c leadline -f -a '(__leadline_offers)'"""
SHELLS: dict[str, tuple[str, Posix | Fish, str]] = {
    "bash": (BASH, Posix(), "|"),
    "zsh": (ZSH, Posix(), "|"),
    "fish": (FISH, Fish(), " "),
}  # the script, how it writes cases, and what it puts between words of one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", type=choice([*SHELLS]), help=f"one of {', '.join(SHELLS)}")


def run(options: argparse.Namespace) -> None:
    script, shell, between = SHELLS[options.shell]
    groups = dict.fromkeys(name.split()[0] for name in command_files() if " " in name)
    cases = shell.switch("name", dict(all_cases(shell)))
    print(script.format(version=__version__, groups=between.join(groups), cases="\n".join(indented(cases))))


def all_cases(shell: Posix | Fish) -> Iterator[tuple[tuple[str, ...], Lines]]:
    """What to offer after nothing, after the first word of commands that have two, and after each command."""
    names = [*command_files()]
    firsts = dict.fromkeys(name.split()[0] for name in names)
    yield ("",), shell.offer(Offer((*firsts, "help", "--help", "--version")))
    for first in firsts:
        if first not in names:
            seconds = (name.split()[1] for name in names if name.startswith(f"{first} "))
            yield (first,), shell.offer(Offer((*seconds, "--help")))
    for name in names:
        yield (name,), after_command(name, shell)


def after_command(name: str, shell: Posix | Fish) -> Lines:
    """What to offer after an option that takes something; else options, where a sign begins the word, or arguments."""
    parser = argparse.ArgumentParser()
    command_module(name).add_arguments(parser)
    taking: dict[Offer, list[str]] = {}
    placed = []
    for action in parser._actions:
        if not action.option_strings:
            placed.append(offered(action))
        elif action.nargs != 0:
            taking.setdefault(offered(action), []).extend(action.option_strings)
    words = dict.fromkeys(chain.from_iterable(each.words for each in placed))
    arguments = Offer((*words,), next((each.paths for each in placed if each.paths), ""))
    named = Offer((*parser._option_string_actions,))
    otherwise = shell.switch("word", {OPTIONS: shell.offer(named), OTHERS: shell.offer(arguments)})
    after = {(*flags,): shell.offer(offer) for offer, flags in taking.items()}
    return shell.switch("before", {**after, OTHERS: otherwise})


def offered(action: argparse.Action) -> Offer:
    """What to offer for an argument, by its type."""
    kind = action.type
    assert isinstance(kind, ArgumentKind)
    paths = "" if isinstance(kind, Value) else "folders" if isinstance(kind, OutputFolder) else "files"
    words = (str(word) for word in action.choices or kind.choices)
    return Offer((*(word for word in words if " " not in word),), paths)  # words with a blank are not typed as one


def indented(lines: Lines) -> Lines:
    return [f"  {line}" for line in lines]
