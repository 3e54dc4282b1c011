"""Other words for the same thing: chemistry, tables, abbreviations, spellings; and the step that adds them."""
