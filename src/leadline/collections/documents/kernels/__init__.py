"""The compiled half of reading documents: XML outlined, and its words without the tags."""
