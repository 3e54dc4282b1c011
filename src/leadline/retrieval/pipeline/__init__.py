"""Pipelines: small steps that turn a topic into a ranked list."""
