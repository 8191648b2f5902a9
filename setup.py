"""What pyproject.toml cannot say: the README as an index of packages shows it, and what a wheel with kernels is for.

An index resolves no path into the repository, and shows no picture that is part of the text (`data:`): without a public
address to point to, pictures are left out, and links to pages become their names.
"""

import re
from pathlib import Path

ELSEWHERE = "The pictures, and the pages of doc/, are in the source distribution.\n\n## Install"


def shown_by_an_index(readme: str) -> str:
    """The README without pictures, and without links that lead into the repository."""
    without_pictures = re.sub(r"^!\[.*\]\((?!https?:).*\)\n\n", "", readme, flags=re.MULTILINE)
    without_links = re.sub(r"\[([^]]+)\]\((?!https?:|#)[^)]+\)", r"\1", without_pictures)
    return without_links.replace("## Install", ELSEWHERE, 1)


if __name__ == "__main__":
    from setuptools import Distribution, setup

    class _Distribution(Distribution):
        def has_ext_modules(self) -> bool:
            """True of what wheels/build.py makes: compiled kernels are for one kind of Python and of machine."""
            return Path(__file__).with_name("irci").joinpath("native", "ready").is_dir()

    readme = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    setup(
        distclass=_Distribution,
        long_description=shown_by_an_index(readme),
        long_description_content_type="text/markdown",
    )
