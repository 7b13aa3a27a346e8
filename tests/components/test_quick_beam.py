"""Beam does no work that repeats itself, and its jobs give the same results."""

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from apache_beam.runners.worker import statecache
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms import core

from components.quick_beam import quicken_beam
from pipeline.config.sections.beam import RUNNER


def test_no_side_input_is_weighed_and_each_bundle_gets_its_side_inputs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker_handlers, "STATE_CACHE_SIZE_MB", 100)
    weighed: list[object] = []

    def weigh(*objects: object) -> int:
        weighed.extend(objects)
        return 1

    def run() -> None:
        flags = [RUNNER, "--direct_running_mode=in_memory"]
        with beam.Pipeline(argv=flags) as pipeline:
            side = pipeline | "Side" >> beam.Create([3])
            main = pipeline | "Main" >> beam.Create([1, 2]) | beam.Reshuffle()
            product = main | beam.Map(lambda value, by: value * by, beam.pvalue.AsSingleton(side))
            assert_that(product, equal_to([3, 6]))

    monkeypatch.setattr(statecache, "get_deep_size", weigh)
    run()
    assert weighed
    weighed.clear()
    quicken_beam()
    run()
    assert not weighed


def test_beam_inspects_each_function_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Multiply(beam.DoFn):
        def process(self, value, by=2):  # type: ignore[no-untyped-def]
            yield value * by

    class NoKey:
        __hash__ = None  # type: ignore[assignment]

        def __call__(self, value: int) -> int:
            return value

    inspected: list[object] = []
    inspect_function = core.get_function_args_defaults
    inspect_function = getattr(inspect_function, "__wrapped__", inspect_function)

    def note(function: object) -> object:
        inspected.append(function)
        return inspect_function(function)

    monkeypatch.setattr(core, "get_function_args_defaults", note)
    quicken_beam()
    quicken_beam()
    first, second, no_key = Multiply(), Multiply(), NoKey()
    for _ in range(2):
        for bound in (first.process, second.process):
            assert core.get_function_args_defaults(bound) == (["value", "by"], [2])
        assert core.get_function_args_defaults(Multiply.process) == (["self", "value", "by"], [2])
        assert core.get_function_args_defaults(no_key) == (["value"], [])
    assert inspected == [first.process, Multiply.process, no_key, no_key]
    names, _ = core.get_function_args_defaults(first.process)
    names.clear()
    assert core.get_function_args_defaults(first.process) == (["value", "by"], [2])
