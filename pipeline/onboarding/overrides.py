"""What the user states about columns. It counts more than any guess."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pipeline.core.errors import ConfigError
from pipeline.onboarding.judging.label import suggest_column


@dataclass(frozen=True)
class Overrides:
    """The options `--key-column`, `--time-column` and `--exclude` of `init`."""

    key_column: str | None = None
    """The column that the split goes by: all rows with the same value share a split."""
    time_column: str | None = None
    """The column that the split goes by: the latest rows are the test split."""
    exclude: tuple[str, ...] = ()
    """The columns that are no features."""

    def check(self, columns: Sequence[str], label_column: str) -> None:
        """Checks the names of the columns.

        Raises:
          ConfigError: a column does not exist or is the label, or a split has two columns.
        """
        if self.key_column is not None and self.time_column is not None:
            raise ConfigError(
                "--key-column and --time-column exclude each other",
                "a split goes by key or by time: choose one",
            )
        for option, name in self._options():
            if name not in columns:
                hint = suggest_column(name, columns)
                raise ConfigError(f"{option} {name}: the table has no column '{name}'", hint)
            if name == label_column:
                raise ConfigError(f"{option} {name}: is the label", "name another column")

    def _options(self) -> Iterator[tuple[str, str]]:
        if self.key_column is not None:
            yield "--key-column", self.key_column
        if self.time_column is not None:
            yield "--time-column", self.time_column
        for name in self.exclude:
            yield "--exclude", name


NO_OVERRIDES = Overrides()
"""Every column is left to the guesses."""
