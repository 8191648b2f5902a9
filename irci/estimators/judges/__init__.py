"""judges: agreement of two judges' labels, and of what they say of the same runs. One module a question."""
