"""What settings of several studies say of which runs are compared."""


class Comparing:
    """Settings with the options that compare runs."""

    compare: bool
    baseline: str | None
    all_pairs: bool

    @property
    def has_pairs(self) -> bool:
        """Whether runs are compared."""
        return self.compare or self.baseline is not None or self.all_pairs

    @property
    def compared_with(self) -> str | None:
        """What runs are compared with, in words."""
        if self.baseline is not None:
            return self.baseline
        return "all pairs" if self.all_pairs else "first" if self.compare else None
