"""The report: one HTML page with the verdict, the figures and the tables."""
