"""One file a command: `define` says what it takes, `run` does it, and the docstring is its help."""

# Every command with one line of what it does, in the order in which help lists them.
COMMANDS = {
    "evaluate": "score runs against judgements",
    "measures": "every measure, with one line of meaning",
    "explain": "what a measure means, or where one score comes from",
    "ideal": "one of the two ideal runs for judgements by subtopic",
    "demo": "what the package can show without any data of yours",
}
