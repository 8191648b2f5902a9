"""Resampling of documents, documents shared by several runs, topics."""
