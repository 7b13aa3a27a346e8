"""How the data work is run by Beam."""

from __future__ import annotations

import re

from pydantic import field_validator

from pipeline.config.base import Section

RUNNER = "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"
"""Named always: newer Beam's `DirectRunner` first tries to download another runner."""


_DIRECT = {
    "--direct_running_mode": "in_memory|multi_threading|multi_processing",
    "--direct_num_workers": "[0-9]+",
}
"""The flags of the runners of this machine; Beam itself ignores a misspelt one."""


class _Flags(Section):
    @field_validator("*")
    @classmethod
    def _are_flags(cls, flags: object) -> object:
        for flag in flags if isinstance(flags, tuple) else ():
            if not re.match(r"--[a-z]", flag):
                raise ValueError(f"{flag!r} is no flag: flags begin with two dashes")
            name, _, value = flag.partition("=")
            if name.startswith("--direct_") and not re.fullmatch(_DIRECT.get(name, ""), value):
                known = ", ".join(f"{name}={form}" for name, form in _DIRECT.items())
                raise ValueError(
                    f"{flag!r}: of the flags that begin with --direct_ there are {known}"
                )
        return flags


class BeamComponents(_Flags):
    """Flags of single components; where they differ from those of `args`, they count."""

    ExampleGen: tuple[str, ...] = ()
    """For ExampleGen of TFRecords and of BigQuery; that of tables needs no Beam."""
    StatisticsGen: tuple[str, ...] = ()
    """For StatisticsGen; of Parquet examples it needs no Beam where no `--direct_running_mode` \
is set."""
    Transform: tuple[str, ...] = ()
    """For Transform."""
    Evaluator: tuple[str, ...] = ()
    """For Evaluator."""


class BeamConfig(_Flags):
    """Beam pipeline options; what is left out is chosen."""

    args: tuple[str, ...] = ()
    """Beam's command-line flags, for all components; without `--runner` they work on this \
machine, and without `--direct_running_mode` as the number of rows and of cores suggests."""
    components: BeamComponents = BeamComponents()
    """Flags of single components, such as `Transform: [--direct_running_mode=multi_processing, \
--direct_num_workers=8]`."""

    def all_flags(self) -> tuple[str, ...]:
        """The flags of all components, one after the other."""
        return sum((flags for _, flags in self.components), self.args)
