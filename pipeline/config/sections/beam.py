"""How the data work is run by Beam."""

from __future__ import annotations

import difflib
import functools
import re
import warnings
from collections.abc import Iterable

from pydantic import field_validator, model_validator

from pipeline.config.base import RuleError, Section

RUNNER = "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"
"""Named always: newer Beam's `DirectRunner` first tries to download another runner."""


_RUNNERS_OF_THIS_MACHINE = ("DirectRunner", "FnApiRunner")
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

    @model_validator(mode="after")
    def _someone_reads_them(self) -> BeamConfig:
        # Beam hands what it does not know to the runner, and those of this machine ignore it.
        if is_of_this_machine(self.all_flags()):
            _refuse_unknown(("beam", "args"), self.args)
            for name, flags in self.components:
                _refuse_unknown(("beam", "components", name), flags)
        return self

    def all_flags(self) -> tuple[str, ...]:
        """The flags of all components, one after the other."""
        return sum((flags for _, flags in self.components), self.args)


def is_of_this_machine(flags: Iterable[str]) -> bool:
    """Whether the flags name no runner but those that work within this machine."""
    runners = (flag.rpartition("=")[2] for flag in flags if flag.startswith("--runner="))
    return all(name.rpartition(".")[2] in _RUNNERS_OF_THIS_MACHINE for name in runners)


def _refuse_unknown(key: tuple[str, ...], flags: Iterable[str]) -> None:
    for flag in flags:
        name = flag.partition("=")[0]
        if name not in (known := _known_flags()):
            near = difflib.get_close_matches(name, known, n=2, cutoff=0.75)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise RuleError(key, f"Beam and the runner of this machine have no flag {name}{hint}")


@functools.cache
def _known_flags() -> tuple[str, ...]:
    """Beam's own; seconds to import, so that only who gives flags waits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apache_beam.options.pipeline_options import PipelineOptions

    known: set[str] = set()
    PipelineOptions([]).get_all_options(
        add_extra_args_fn=lambda parser: known.update(parser._option_string_actions)
    )
    return tuple(sorted(known - {"-h", "--help"}))
