"""What the user sees besides results: what is logged, on standard error."""

import click

from irci.base.errors import visible

TYPED = "irci.typed"  # where what was typed behind the name of a command stands in its context
WARNINGS = "irci.warnings"  # where what has been warned of stands in the context of a command


def show_what_is_logged() -> None:
    """Everything goes to standard error, also that kernels are being compiled, which takes its time."""
    import logging

    class ToStandardError(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            kind = "" if record.levelno < logging.WARNING else "warning: "
            click.echo(f"irci: {kind}{visible(record.getMessage())}", err=True)

    logger = logging.getLogger("irci")
    if not logger.handlers:
        logger.addHandler(ToStandardError())
    logger.propagate = False
    logger.setLevel(logging.INFO)


def be_quiet() -> None:
    """No warnings from here on."""
    import logging

    logging.getLogger("irci").setLevel(logging.ERROR)
