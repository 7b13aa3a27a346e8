"""RowLimit: how many bad rows a prediction may have."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.core.errors import ConfigError
from pipeline.core.text import percent

_MANY = 10_000
"""Bad rows after which a share is judged before the last row is read: a wrong decimal mark makes
every row bad, and nobody needs to see more of them."""


@dataclass(frozen=True)
class RowLimit:
    """The most bad rows: a number, or a share of all rows."""

    rows: int | None = None
    share: float = 0.0
    """Used where `rows` is None."""

    @classmethod
    def parse(cls, text: str, has_key: bool) -> RowLimit:
        """Returns the limit that a text such as `100` or `0.5%` means.

        An empty text is the default: 1 % of the rows with a key, because the key tells which rows
        have no prediction; no row without a key, because nothing else would tell.

        Raises:
          ConfigError: the text is neither a number nor a share.
        """
        text = (text or ("1%" if has_key else "0")).strip()
        if re.fullmatch(r"\d+", text):
            return cls(rows=int(text))
        share = re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text)
        if share and float(share[1]) <= 100:
            return cls(share=float(share[1]) / 100)
        raise ConfigError(
            f"--max-bad-rows: {text!r} is neither a number of rows nor a share",
            "write a number such as 100, or a share such as 0.5%",
        )

    def is_exceeded(self, bad: int, rows: int) -> bool:
        """Whether `bad` rows of `rows` are too many, when all rows are read."""
        return bad > (self.share * rows if self.rows is None else self.rows)

    def is_exceeded_early(self, bad: int, rows: int) -> bool:
        """Whether `bad` rows of the first `rows` are too many already."""
        return self.is_exceeded(bad, rows) and (self.rows is not None or bad > _MANY)

    def __str__(self) -> str:
        return f"{self.rows:,}" if self.rows is not None else percent(self.share)
