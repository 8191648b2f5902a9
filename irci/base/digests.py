"""Hashes of few bytes, by Python's own code for them: OpenSSL's library takes longer to load than they take to compute.

Whole files are hashed by hashlib, which does load it and is several times as fast.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b, sha256
else:
    try:
        from _blake2 import blake2b

        try:
            from _sha2 import sha256
        except ImportError:  # Python 3.11
            from _sha256 import sha256
    except ImportError:
        from hashlib import blake2b, sha256

__all__ = ["blake2b", "sha256"]
