"""Dense retrieval: documents and topics as vectors of a small language model. An optional extra."""
