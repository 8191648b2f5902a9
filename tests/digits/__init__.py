"""The net of digits: what many command lines compute, held to 12 digits."""
