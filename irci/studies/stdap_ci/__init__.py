"""stdap-ci: means of standardised scores, published figures compared, and the type I experiment."""
