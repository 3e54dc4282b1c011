"""One file a command: `define` says what it takes, `run` does it, and the docstring is its help."""

# Every command with one line of what it does, in the order in which help lists them.
COMMANDS = {
    "evaluate": "score runs against judgements",
    "measures": "every measure, with one line of meaning",
    "explain": "what a measure means, or where one score comes from",
    "compare pairs": "which of two systems is better, for every pair, with p and effect",
    "compare power": "how well a measure tells systems apart",
    "compare correlation": "do two measures rank the systems alike",
    "compare agreement": "how often three measures reach the same conclusion",
    "compare incomplete": "would fewer judgements give the same ranking",
    "compare slices": "scores by any attribute of the topics",
    "compare verdict": "firm, fragile or undecided, in plain words",
    "collection build": "make a collection from patents and articles",
    "collection info": "what a collection holds, counted and drawn",
    "topics sample": "patents as topics, drawn so that the first k are a fair sample",
    "qrels citations": "judgements from what patents cite, with the reason for each",
    "qrels claims": "judgements by claim, from judged or estimated passages",
    "simulate office": "a patent office that knows every relevant document",
    "index": "make a collection searchable",
    "search": "search in words: AND, NEAR, phrases, fields, the newest first",
    "prior-art": "what came before a patent and bears on its claims",
    "run": "search for every topic with a named system or your own pipeline",
    "report": "one page for people: the verdict, every figure, every topic",
    "grid": "many runs from a table of choices",
    "ideal": "one of the two ideal runs for judgements by subtopic",
    "demo": "what the package can show without any data of yours",
}
