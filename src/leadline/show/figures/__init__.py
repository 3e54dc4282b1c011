"""The figures of the report, and what they share."""
