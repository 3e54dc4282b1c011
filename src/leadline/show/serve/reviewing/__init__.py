"""The pages of a review: the card in the learner's order, the certificate, and the report of the review."""
