"""Names that hold any bytes, and what is to be read of them where they are written."""

import re
import unicodedata

from hypothesis import settings
from hypothesis import strategies as st

from irci.base import text

PIECES = (
    "\t", "\n", "\r", "\v", "\x1b[31m", "\x9b1m", "\x85", "\u2028", "\u202e", "a", "é", " ", "\u200d",
    "--", "-->", "--->", "--!>", "<script>", "</td>",
    "|", "\\", "`", "$x$", "&amp;", "%", "#", "_", "{", "}", "^^M", "~", '"', ",", "[", "*", "007", "\\n",
)  # fmt: skip
NAMES = (
    st.lists(st.sampled_from(PIECES).map(str.encode) | st.binary(min_size=1, max_size=3), min_size=1, max_size=5)
    .map(b"".join)
    .map(text)
)
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
EVERY = settings(max_examples=60)
THREE = st.tuples(NAMES, NAMES, NAMES)


def is_obeyed(letter: str) -> bool:
    """Whether Unicode's tables call it a control (as Latin-1, if it is a byte that is no UTF-8), the end of a line or
    paragraph, or another direction of writing."""
    if "\udc80" <= letter <= "\udcff":
        return unicodedata.category(chr(ord(letter) - 0xDC00)) == "Cc"
    return unicodedata.category(letter) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(letter) in DIRECTIONS


def shown(name: str, also_bytes: bool = False) -> str:
    """What is to be read of a name."""
    letters = [ascii(letter)[1:-1].replace("\\udc", "\\x") if is_obeyed(letter) else letter for letter in name]
    if also_bytes:
        letters = [f"\\x{ord(letter) - 0xDC00:02x}" if "\udc80" <= letter <= "\udcff" else letter for letter in letters]
    return "".join(letters)


def unescaped_latex(name: str) -> str:
    """What LaTeX prints of it."""
    for command, sign in (("textasciitilde", "~"), ("textbar", "|")):
        name = name.replace(f"\\{command}{{}}", sign)
    name = re.sub(r"\\ensuremath\{([<>])\}", r"\1", name)
    name = re.sub(r"^\{([*\[])\}", r"\1", name).replace("-{}", "-")
    name = re.sub(r"\\([&%$#_{}^])(?:\{\})?", r"\1", name.replace("\\textbackslash{}", "\0"))
    return name.replace("\0", "\\")


def cells_of_latex(line: str, columns: int) -> list[str]:
    """What LaTeX prints in the cells of a row, in which it obeys nothing: no group, comment, formula or option."""
    bare = line.removesuffix("\\\\")
    signs = re.sub(r"\\[&%$#_{}^\\]", "", bare)
    assert (signs.count("&"), signs.count("{")) == (columns - 1, signs.count("}"))
    assert not set("%$#_^~|") & set(signs)
    assert not re.match(r" *[\[*]", line)  # which \\ before it would take
    assert "--" not in line
    return [unescaped_latex(cell.strip(" ")) for cell in re.split(r"(?<!\\)&", bare)]
