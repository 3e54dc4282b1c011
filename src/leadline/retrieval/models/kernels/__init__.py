"""The compiled part of a search: it adds up weights and sorts the best documents."""
