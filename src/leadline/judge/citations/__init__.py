"""Judgements derived from citations and claims, with the reason for each."""
