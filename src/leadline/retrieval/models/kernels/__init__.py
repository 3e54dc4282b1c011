"""The compiled half of a search: weights added up, and the best documents sorted."""
