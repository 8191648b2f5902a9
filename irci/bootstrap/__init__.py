"""What is resampled: documents, documents shared by several runs, topics."""
