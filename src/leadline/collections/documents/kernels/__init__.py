"""The compiled part of reading documents: outlines of XML, and its text without tags."""
