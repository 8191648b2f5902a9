"""Topics that --topics names, in a list or a file."""

from irci.base.errors import FormatError
from irci.base.names import STDIN, raw
from irci.data.text_files import read_lines


def file_of_topics(chosen: str | None) -> str | None:
    """The file that --topics names: @FILE, a path with a slash in it, or standard input. Anything else is a list."""
    if chosen is None:
        return None
    if chosen.startswith("@"):
        return chosen[1:]
    return chosen if "/" in chosen or chosen == STDIN else None


def read_topics(chosen: str) -> set[bytes]:
    """The topics of a list with commas, or in a file, one a line. Raises FormatError if there is no such file."""
    path = file_of_topics(chosen)
    if path is None:
        return {topic.strip() for topic in raw(chosen).split(b",")}
    try:
        return set(read_lines(path))
    except FileNotFoundError:
        raise FormatError.whole_file(path, "no such file or directory") from None
