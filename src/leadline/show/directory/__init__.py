"""The directory as one HTML page."""
