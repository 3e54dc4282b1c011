"""Real chemistry for the simulated office: tables of facts, collected and worded for this project.

They hold what is common knowledge of the trade: names, registry numbers and formulas of substances, terms of processes
and properties, symbols of classes. Trade names are named as facts and may be registered by their owners. The tables
are UTF-8, their cells separated by tabs, with a header line; an empty cell says that there is none or that it is not
known for certain, and `|` separates the items of a list.

`fields.tsv`: the twelve fields of technology.
    key, title
`substances.tsv`: substances and materials, sorted by name. No name or abbreviation belongs to two of them.
    name         everyday name
    systematic   the name by the rules of nomenclature, where it differs
    synonyms, trade_names
    cas          registry number of the Chemical Abstracts Service
    formula      Hill's for organic substances, the usual one for others
    abbreviation as patents use it
    generic      what a claim calls it when it means more than this one: aromatic polyester
    kind         one word: solvent, monomer, drug
    fields       keys of the fields where it is used, in the order of `fields.tsv`
`terms.tsv`: everything else that a patent names.
    name
    category     process, apparatus, product, use, property or effect
    synonyms, abbreviation, generic
    verb         of processes: a past participle, usable in "is extruded"
    unit, low, high    of properties: a range that is plausible in a claim
    fields
`classes.tsv`: groups of the International Patent Classification.
    group        C08L 67/02
    title        in our words
    field        key of the field it belongs to most
    cpc          groups of the Cooperative Patent Classification that go with it: C08L2203/16
`words.tsv`: words of engineers that name no substance, the most frequent of a field and category first.
    field        a key, or `all`
    category     noun, adjective or verb (base form; all are regular)
    word
`title_words.tsv`: what occurs in titles, in four languages; `name_words.tsv`: the words of names of substances.
    english, german, french, japanese
`subjects.tsv`: what inventions of a field are, in the same languages.
    field, english, german, french, japanese
`people.tsv`: parts of the names of firms and people by the office of their country.
    office, part, words
"""
