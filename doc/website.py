"""Make the site of README.md, doc/ and the table of options: python doc/website.py

Pages have the layout of the repository, so that links are good in both. Those of commands are made of the rows that helps are
made of. zensical (settings: website.toml) turns them into build/site, and stops at a link or an anchor that leads nowhere.
"""

import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from irci.cli.group import grouped
from irci.cli.group import main as irci
from irci.options.commands import COMMANDS
from irci.output.tables import meanings, title

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
SETTINGS = ROOT / "doc" / "website.toml"
# What search needs in pages opened from a folder, where browsers start no workers: its address in pages, and its file.
SHIM = "https://unpkg.com/iframe-worker/shim"
OWN_SHIM = ROOT / ".venv" / "site" / "node_modules" / "iframe-worker" / "shim" / "index.js"
columns = runpy.run_path(str(ROOT / "man" / "make.py"))["columns"]


def pages_of(navigation: Any) -> list[str]:
    """The pages that a navigation names, in order."""
    if isinstance(navigation, str):
        return [navigation]
    parts = navigation.values() if isinstance(navigation, dict) else navigation
    return [page for part in parts for page in pages_of(part)]


def make_tree(folder: Path) -> None:
    """Write the settings, all pages, and the files that these show or link to."""
    for name in pages_of(tomllib.loads(SETTINGS.read_text())["project"]["nav"]):
        place, page = Path(name), folder / "pages" / name
        page.parent.mkdir(parents=True, exist_ok=True)
        if place.parent.name == "commands":
            page.write_text("\n\n".join(page_of(place.stem)) + "\n")
            continue
        source = README if name == "index.md" else ROOT / name
        page.write_text(source.read_text())
        for link in re.findall(r"\]\(([^)#:]+)", source.read_text()):
            if not link.endswith(".md"):
                shown = page.parent / link
                shown.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source.parent / link, shown)
    for name in ("website.css", "website.js"):
        shutil.copyfile(ROOT / "doc" / name, folder / "pages" / "doc" / name)
    shutil.copyfile(SETTINGS, folder / "zensical.toml")


def page_of(name: str) -> Iterator[str]:
    """The parts of a command's page: purpose, examples, picture, options, columns of its tables."""
    command = irci.commands[name]
    context = click.Context(command, info_name=f"irci {name}")
    yield f"# irci {name}"
    told = re.split(r"\n\s*\n", inspect.cleandoc(command.help or ""))
    yield from (escaped(paragraph) for paragraph in told if not paragraph.startswith("Example: "))
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```"
    if name == "measures":
        yield f"```text\n{CliRunner().invoke(irci, [name], terminal_width=78).output}```"
    if name not in COMMANDS:
        yield from options_of(command, context)
        return
    yield "\n".join(
        ["```sh", *(line for what, example in COMMANDS[name].examples for line in (f"# {what}", example)), "```"]
    )
    yield from (
        f"{text}(../{path})" for text, path in re.findall(rf"(!\[.*\])\((doc/{name}\.svg)\)", README.read_text())
    )
    yield from options_of(command, context)
    yield "## Tables and their columns"
    for kind in COMMANDS[name].tables:
        yield f"### {title(kind)}"
        yield escaped(meanings()[kind]["answer"])
        yield "\n".join(f"- `{column}`: {escaped(meaning)}" for column, meaning in columns(COMMANDS[name].rows, kind))


def options_of(command: click.Command, context: click.Context) -> Iterator[str]:
    """All options of a command, under their headings."""
    for heading, members in grouped(command.get_params(context)).items():
        yield f"## {heading}"
        for spelled, text in filter(None, (each.get_help_record(context) for each in members)):
            yield f"### `{spelled}`"
            yield escaped(text)


def escaped(text: str) -> str:
    """Text as Markdown takes it."""
    return re.sub(r"([\\`*_\[\]])", r"\\\1", text).replace("<", "&lt;")


def build(folder: Path) -> None:
    """Build the site of a tree, and let it load nothing from elsewhere."""
    site, settings = folder / "site", folder / "zensical.toml"
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", str(settings)]
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)
    scripts = site / "assets" / "javascripts"
    shutil.copyfile(OWN_SHIM, scripts / "iframe-worker.js")
    for page in site.rglob("*.html"):
        own = os.path.relpath(scripts / "iframe-worker.js", page.parent)
        page.write_text(page.read_text().replace(SHIM, own))


if __name__ == "__main__":
    TREE = ROOT / "build" / "site.tree"
    shutil.rmtree(TREE, ignore_errors=True)
    make_tree(TREE)
    build(TREE)
    shutil.rmtree(ROOT / "build" / "site", ignore_errors=True)
    shutil.move(TREE / "site", ROOT / "build" / "site")
    print("build/site/index.html")
