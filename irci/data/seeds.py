"""Seeds: which runs are trainings of one system, from a file, or from names of runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from irci.base.errors import DataError, first_few
from irci.base.names import is_name, raw
from irci.data.notices import warn_of_topics
from irci.data.rules import NamedGroups

UNTRAINED = "-"  # the seed of a system that draws on none


@dataclass(frozen=True)
class System:
    """A system and its runs, each from another seed: their places among all runs, in bytewise order of their names.

    `is_trained`: whether it would score otherwise from another seed.
    """

    name: str
    runs: Sequence[int]
    is_trained: bool = True


class Seeds(NamedGroups):
    """Systems and seeds by run."""

    OPTION, NOUN, GROUPS = "--seeds", "run", ("system", "seed")

    def of_runs(self, runs: Sequence[str]) -> list[System]:
        """The systems that these runs are of, in the order in which they come; a run of none is its own, which a warning
        says, as it does of runs that only the file has.

        Raises DataError if no run is of a system, and for a seed of a system twice.
        """
        found = [self.find(run) for run in runs]
        alone = [run for run, of in zip(runs, found, strict=True) if of is None]
        if len(alone) == len(runs):
            raise DataError(f"{self.given}: says of no run which system and seed it is ({first_few(runs)})")
        warn_of_topics(self.given, "without a system and seed, each taken for a system with one seed", alone, "run")
        self.warn_of_others(runs)
        seeds: dict[str, dict[str, int]] = {}
        for place, of in enumerate(found):
            if of is not None:
                self._add(runs, seeds.setdefault(of[0], {}), place, *of)
        for run in alone:
            if run in seeds:
                other = runs[next(iter(seeds[run].values()))]
                raise DataError(
                    f"{self.given}: run {run!r} is of no system, but run {other!r} is of a system of that name"
                )
        order = dict.fromkeys(run if of is None else of[0] for run, of in zip(runs, found, strict=True))
        place_of = {run: place for place, run in enumerate(runs)}
        return [_system(runs, name, seeds.get(name) or {"": place_of[name]}) for name in order]

    def _add(self, runs: Sequence[str], of_system: dict[str, int], place: int, system: str, seed: str) -> None:
        run = runs[place]
        if not is_name(system):
            raise DataError(f"{self.given}: run {run!r}: the name of its system is empty")
        if seed in of_system:
            raise DataError(
                f"{self.given}: runs {runs[of_system[seed]]!r} and {run!r} are both system {system!r}, seed {seed!r}"
            )
        of_system[seed] = place
        if UNTRAINED in of_system and len(of_system) > 1:
            raise DataError(f"{self.given}: system {system!r} has seeds ({first_few(list(of_system))}) and none (-)")


def _system(runs: Sequence[str], name: str, seeds: dict[str, int]) -> System:
    places = sorted(seeds.values(), key=lambda place: raw(runs[place]))
    return System(name, places, is_trained=UNTRAINED not in seeds)
