"""Output: how results are written, sorted, drawn and saved."""

from irci.base.choices import FOR_READING, OF_ENDING, Format, Layout, Limits, Sort
from irci.options.option import Option, either
from irci.options.rows.scoring import EVERY
from irci.options.tables import TableKind
from irci.options.types import (
    STANDARD_STREAM,
    Choice,
    Flag,
    OutputFile,
    PictureFile,
    PictureWidth,
    Whole,
)
from irci.system.work import processors

MOST_THREADS = 1024
MOST_DIGITS = 17  # of a double
WIDE = "ap-ci(-validate) map-ci(-judge -validate) stdap-ci(-type-one)"

ROWS = (
    Option(
        "output_format", "--format", Choice(Format), EVERY,
        "Format; tsv, csv, json and jsonl have full precision, html is a page with pictures and settings.",
        default="text", short="text, table, csv, tsv, json, latex, markdown, html", python=False,
    ),
    Option(
        "layout", "--layout", Choice(Layout), "ap-ci(-validate) map-ci(-judge -validate) stdap-ci(-published)",
        "long: a row an estimate; wide: a paper's table, a row a run and a column a measure.  [default: wide in latex"
        " and markdown, where it leaves nothing out; else long]",
        short={"compare": "long, or wide: a table for a paper, a line a run"}, python=False,
    ),
    Option(
        "layout", "--layout", Choice(Layout), "partition-anova swap-error wcw judges", hidden=True, python=False,
        needs={"!layout=wide": "--layout wide is for ap-ci, map-ci and stdap-ci, which print means of runs."},
    ),
    Option(
        "limits", "--limits", Choice(Limits), "ap-ci map-ci stdap-ci",
        "Limits in the wide layout.  [default: brackets, but none in a table wider than 160 letters]",
        python=False,
    ),
    *(
        Option(
            "tables", "--table", TableKind(command), command,
            f"Print only tables of this kind; repeatable: {', '.join(TableKind(command).words())}.",
            metavar="KIND", many=True, short="print only tables of this kind", python=False,
        )
        for command in EVERY.split()
    ),
    Option(
        "digits", "--digits", Whole(1, MOST_DIGITS), EVERY,
        f"Decimals in {either(FOR_READING, 'and')}; p-values have up to four significant digits.",
        default=4, metavar="N", python=False,
        needs={
            "|".join(f"output_format={each}" for each in FOR_READING):
            f"--digits is for {', '.join(FOR_READING)}; {{output_format}} has full precision.",
        },
    ),
    Option(
        "sort", "--sort", Choice(Sort), "ap-ci(-validate) map-ci(-validate) partition-anova stdap-ci(-type-one)",
        "Sort runs or pairs by value, best first, or by name.  [default: as given]",
    ),
    Option(
        "output", "-o --output", OutputFile(), EVERY,
        "Write to this file, whole or not at all, in the format of its ending:"
        f" {', '.join(f'.{ending} ({name})' if ending != name else f'.{ending}' for ending, name in OF_ENDING.items())}."
        "  [default: standard output]",
        default=STANDARD_STREAM, told="-", metavar="FILE", python=False,
        short="write to this file, in the format of its ending",
    ),
    Option(
        "plot", "--plot", PictureFile(), EVERY,
        "Also draw the result: .png, .svg or .pdf (takes matplotlib).",
        metavar="FILE", short="also draw the result: .png, .svg or .pdf", python=False,
        needs={
            "!validate|request=type-one": "--validate does not take {}: there is nothing to draw.",
        },
    ),
    Option(
        "plot_width", "--plot-width", PictureWidth(), EVERY,
        "Width of the picture in print: column (3.3 inches), page (7), or inches.  [default: as the panels need]",
        metavar="column|page|INCHES", python=False, needs={"plot": "{} is the width of a picture: add --plot FILE."},
    ),
    Option(
        "explain", "--explain", Flag(), EVERY, "Explain the result in words.",
        short="explain the result in plain words", python=False,
    ),
    Option(
        "cite", "--cite", Flag(), EVERY, "Print BibTeX entries for what these options use, and exit.",
        python=False,
    ),
    Option(
        "save_scores", "--save-scores", OutputFile(),
        "ap-ci(-validate) map-ci(-judge -validate) partition-anova stdap-ci(-published) swap-error(-counts)"
        " wcw(files)",
        "Also write all scores to this file, for --scores; cat joins such files.",
        metavar="FILE",
    ),
    Option(
        "save_factors", "--save-factors", OutputFile(), "stdap-ci(means)", "Save the factors to this file, for --reference.",
        metavar="FILE", short="save the factors for later use",
        needs={"!standardise=none": "{}: --standardise none makes no factors."},
    ),
    Option("quiet", "--quiet", Flag(), EVERY, "Do not print warnings; a page lists them.", python=False),
    Option(
        "threads", "--threads", Whole(1, MOST_THREADS), EVERY,
        "Number of threads.",
        default=processors, told="(all processors)", metavar="N",
    ),
)  # fmt: skip
