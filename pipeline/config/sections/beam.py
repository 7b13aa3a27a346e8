"""The section `beam`: how Apache Beam runs the data components."""

from __future__ import annotations

import difflib
import functools
import re
import warnings
from collections.abc import Iterable, Iterator

from pydantic import field_validator

from pipeline.config.base import RuleError, Section

RUNNER = "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner"
"""The default runner, in this process. Newer Beam's `DirectRunner` would first try to download
another one: `run_in_process` replaces it."""

_DIRECT_RUNNERS = ("DirectRunner", "SwitchingDirectRunner")
_LOCAL_RUNNERS = (*_DIRECT_RUNNERS, "FnApiRunner")
_DIRECT = {
    "--direct_running_mode": "in_memory|multi_threading|multi_processing",
    "--direct_num_workers": "[0-9]+",
}
"""The flags of the local runners, each with a regular expression of its values.

Beam ignores a misspelt flag, so the configuration checks them.
"""


class _Flags(Section):
    @field_validator("*")
    @classmethod
    def _check_flags(cls, flags: object) -> object:
        for flag in flags if isinstance(flags, tuple) else ():
            if not re.match(r"--[a-z]", flag):
                raise ValueError(f"{flag!r} is not a flag: a flag begins with two dashes")
            name, _, value = flag.partition("=")
            if name.startswith("--direct_") and not re.fullmatch(_DIRECT.get(name, ""), value):
                known = ", ".join(f"{name}={form}" for name, form in _DIRECT.items())
                raise ValueError(f"{flag!r} is not valid for the local runner, which takes {known}")
        return flags


class BeamComponents(_Flags):
    """Flags of single components; they override `args`."""

    ExampleGen: tuple[str, ...] = ()
    """For ExampleGen; CSV and Parquet need Beam only if `--runner` names an engine such as Flink, \
and give the same examples either way."""
    StatisticsGen: tuple[str, ...] = ()
    """For StatisticsGen; CSV or Parquet needs Beam only if `--direct_running_mode` is set."""
    Transform: tuple[str, ...] = ()
    """For Transform."""
    Evaluator: tuple[str, ...] = ()
    """For Evaluator."""
    BatchPredictor: tuple[str, ...] = ()
    """For BatchPredictor and the command `predict`, which need Beam only if `--runner` or \
`--direct_running_mode` is set."""


class BeamConfig(_Flags):
    """Beam's pipeline options; options that are left out are chosen by the pipeline."""

    args: tuple[str, ...] = ()
    """Beam's command-line flags for all components; they override the flags that follow from \
`engine`. Without `--direct_running_mode`, the numbers of rows and cores decide the mode."""
    components: BeamComponents = BeamComponents()
    """Flags of single components, such as `Transform: [--direct_running_mode=multi_processing, \
--direct_num_workers=8]`."""

    def all_flags(self) -> tuple[str, ...]:
        """Returns `args` and the flags of every component."""
        return sum((flags for _, flags in self.components), self.args)

    def is_local(self) -> bool:
        """Returns whether neither `args` nor any component names the runner of another machine."""
        return all(map(uses_local_runner, (self.args, *(flags for _, flags in self.components))))


def uses_local_runner(flags: Iterable[str]) -> bool:
    """Returns whether Beam runs on this machine: the last runner is local, or none is named."""
    runners = [runner for flag in flags if (runner := _find_runner(flag))]
    return not runners or runners[-1] in _LOCAL_RUNNERS


def run_in_process(flags: Iterable[str]) -> tuple[str, ...]:
    """Returns the flags with `RUNNER` in place of `DirectRunner`."""
    return tuple(RUNNER if _find_runner(flag) in _DIRECT_RUNNERS else flag for flag in flags)


def _find_runner(flag: str) -> str:
    """Returns the name of the runner that the flag names, without its module; "" if none."""
    name, _, value = flag.partition("=")
    return value.rpartition(".")[2] if name == "--runner" else ""


def find_unknown_flags(beam: BeamConfig) -> Iterator[RuleError]:
    """Yields an error for each flag that neither Beam nor the local runners have.

    Beam passes unknown flags on to the runner, and the local runners ignore them.
    """
    yield from _find_unknown(("beam", "args"), beam.args)
    for name, flags in beam.components:
        yield from _find_unknown(("beam", "components", name), flags)


def _find_unknown(key: tuple[str, ...], flags: Iterable[str]) -> Iterator[RuleError]:
    for flag in flags:
        name = flag.partition("=")[0]
        if name not in (known := _known_flags()):
            near = difflib.get_close_matches(name, known, n=2, cutoff=0.75)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            yield RuleError(key, f"neither Beam nor the local runner has a flag {name}{hint}")


@functools.cache
def _known_flags() -> tuple[str, ...]:
    """Returns all flags of Beam; importing Beam takes seconds, so only users of flags wait."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from apache_beam.options.pipeline_options import PipelineOptions

    known: set[str] = set()
    PipelineOptions([]).get_all_options(
        add_extra_args_fn=lambda parser: known.update(parser._option_string_actions)
    )
    return tuple(sorted(known - {"-h", "--help"}))
