"""Pictures in a page: one figure a panel, each with ids of its own and a title that is read aloud."""

import importlib.util
from collections.abc import Iterator
from xml.etree import ElementTree

from irci.output.page.text import element, escaped, folded
from irci.output.plots import MOST_PANELS, draw_each
from irci.output.report import Report

FIRST_PICTURES = 6  # the others are folded away
POINTS_TO_PIXELS = 96 / 72


def figures(report: Report) -> Iterator[str]:
    """A figure for each picture of a report, the first few if there are too many; or how to get pictures."""
    if importlib.util.find_spec("matplotlib") is None:
        yield element("p", "For pictures, install matplotlib: <code>pip install '.[plot]'</code>.")
        return
    titles, drawn = draw_each(report)
    shown = [_figure(f"picture{place}", *each) for place, each in enumerate(zip(titles, drawn, strict=False), 1)]
    yield from shown[:FIRST_PICTURES]
    yield folded(shown[FIRST_PICTURES:], "more pictures")
    if len(titles) > MOST_PANELS:
        few = f"These are the first {MOST_PANELS} of {len(titles)} pictures"
        yield element("p", f"{few}: choose fewer measures or runs.")


def _figure(name: str, title: str, svg: bytes) -> str:
    """A picture as part of the page: no namespaces, its ids behind a name, its style in the page's."""
    root = ElementTree.fromstring(svg)
    for part in root.iter():
        part[:] = [child for child in part if _local(child.tag) not in ("metadata", "style")]
        part.tag = _local(part.tag)
        part.attrib = {_local(key): _own_ids(_local(key), value, name) for key, value in part.attrib.items()}
        part.tail = part.tail if part.tail and part.tail.strip() else None
    width = float(root.attrib.pop("width").removesuffix("pt")) * POINTS_TO_PIXELS
    del root.attrib["height"]
    root.attrib |= {"role": "img", "aria-labelledby": f"{name}-title", "style": f"--natural: {width:.0f}px"}
    said = ElementTree.Element("title", id=f"{name}-title")
    said.text = title
    root.insert(0, said)
    return f'<figure tabindex="0" aria-label="{escaped(title)}">\n{ElementTree.tostring(root, "unicode")}\n</figure>\n'


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _own_ids(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href" and value.startswith("#"):
        return f"#{name}-{value[1:]}"
    return value.replace("url(#", f"url(#{name}-")
