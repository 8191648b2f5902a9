"""Hashes of few bytes, by Python's own code for them: OpenSSL's library takes longer to load than they take to compute.

Whole files are hashed by hashlib, which does load it and is several times as fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash, blake2b
else:
    try:
        from _blake2 import blake2b
    except ImportError:
        from hashlib import blake2b

__all__ = ["blake2b", "sha256"]


def sha256(data: bytes) -> "_Hash":
    """The SHA-256 of these bytes, an object as hashlib's; its code is loaded when it is first asked for."""
    for name in ("_sha2", "_sha256"):  # from Python 3.12 on, and in 3.11
        try:
            return import_module(name).sha256(data)  # type: ignore[no-any-return]
        except ImportError:
            continue
    import hashlib

    return hashlib.sha256(data)
