"""irci: how far can an information-retrieval evaluation be trusted?"""

__version__ = "0.1.0"
