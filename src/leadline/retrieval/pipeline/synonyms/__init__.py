"""Synonyms from chemistry, tables, abbreviations and spellings, and the step that adds them to queries."""
