"""What is so for all tests, and the fixtures that several modules share."""

import gc
import importlib.util
import logging
import os
import sys
from collections.abc import Generator
from pathlib import Path

# Before NumPy: processes of the tests share the processors, and threads of its library would spin there for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from helpers import shared
from hypothesis import settings
from recorded import Recorder

from irci import system
from irci.base import logger

# Compilation happens inside the first example; the same examples every time.
settings.register_profile("irci", deadline=None, derandomize=True)
settings.register_profile("few", settings.get_profile("irci"), max_examples=20)

# Where an installed command finds its bytecode, the processes that tests start would compile all of irci each time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Which test compiles a kernel depends on what ran before: what is said of it belongs to no output.
logging.getLogger("irci.kernels").addFilter(
    lambda record: "compil" not in str(record.msg) or record.levelno > logging.INFO
)


RECORDER = Recorder()
RECORDER.start()


def leaves_out_check(config: pytest.Config) -> bool:
    """True of `make test`."""
    return "not check" in config.option.markexpr


def pytest_addoption(parser: pytest.Parser) -> None:
    """--add-kernels, of `make manifest`."""
    parser.addoption(
        "--add-kernels", action="store_true", help="add to irci/native/manifest.txt what kernels the tests take"
    )


@pytest.fixture(scope="session", autouse=True)
def kernels_of_wheels(request: pytest.FixtureRequest) -> Generator[None]:
    """A wheel has every kernel that irci asked for."""
    yield
    if request.config.option.add_kernels:
        RECORDER.add()
    missing = RECORDER.missing()
    assert not missing, (
        f"kernels that wheels do not have: `make manifest`, or pytest --add-kernels with these tests: {missing}"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Properties are tried on few examples by `make test`, and on all by the other targets. Garbage, of which tests leave
    little, is looked for seldom."""
    gc.set_threshold(20_000, 20, 20)
    settings.load_profile("few" if leaves_out_check(config) else "irci")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test's cases `sample` leaves so many, spread evenly, in `make test`, and the others to `make check`, or so many of
    them, and the rest to `make slow`. `make check` also has every property again."""
    sampled: dict[tuple[str, tuple[int, ...]], list[pytest.Item]] = {}
    for item in items:
        if hasattr(getattr(item, "obj", None), "hypothesis") and not leaves_out_check(config):
            item.add_marker("check")
        sample = item.get_closest_marker("sample")
        if sample and not item.get_closest_marker("slow"):
            sampled.setdefault((item.nodeid.partition("[")[0], sample.args), []).append(item)
    for (_, numbers), cases in sampled.items():
        for number, marker in zip(numbers, ("check", "slow"), strict=False):
            kept = {place * len(cases) // number for place in range(number)}
            cases = [case for place, case in enumerate(cases) if place not in kept]
            for case in cases:
                case.add_marker(marker)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """What has been loaded by now stays: it is not gone through for garbage again and again."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What was logged of names that are no UTF-8 cannot be sent from one process of the tests to another as it is."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture(autouse=True)
def as_in_a_fresh_process() -> None:
    """The command line, which runs in the process of the tests, leaves its own settings of what is logged."""
    logger.show = None


@pytest.fixture
def many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads share even what takes no time."""
    monkeypatch.setattr(system, "FEW_STEPS", -1)


@pytest.fixture
def no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where matplotlib is not installed: a page says so, and takes less time."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def trec8() -> Path:
    """TREC-8 ad hoc: 41 runs, their qrels and trec_eval's output for them."""
    return shared("trec8-adhoc")


@pytest.fixture
def trec_eval_test() -> Path:
    """trec_eval's own test files."""
    return shared("trec_eval_test")
