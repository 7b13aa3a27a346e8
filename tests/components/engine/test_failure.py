"""The cause of a failed job is the last line of the worker's traceback."""

import pytest

from components.engine.failure import explain_failure
from pipeline.core.errors import ConfigError, DataError, PipelineError

FROM_FLINK = """\
java.util.concurrent.ExecutionException: java.lang.RuntimeException: Error received from SDK harness
Traceback (most recent call last):
  File "apache_beam/runners/common.py", line 1495, in apache_beam.runners.common.DoFnRunner.process
  File "/app/components/x.py", line 7, in work
    raise {error}
{error}

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/venv/apache_beam/runners/worker/sdk_worker.py", line 311, in _execute
    response = task()
{error} [while running 'Score/ParDo(ScoreRange)-ptransform-42']

\tat java.base/java.util.concurrent.CompletableFuture.reportGet(Unknown Source)
\tat org.apache.beam.sdk.util.MoreFutures.get(MoreFutures.java:60)
Caused by: java.lang.RuntimeException: Error received
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FROM_FLINK.format(error="ValueError: row 7: no number"), "ValueError: row 7: no number"),
        (FROM_FLINK.format(error="pkg.errors.OddError: a\nb"), "OddError: a"),
        (
            "x.JobException: Recovery is suppressed\n\tat y.Z(Z.java:1)\n"
            "Caused by: a.b.NoResourceAvailableException: Could not acquire the resources\n\tat c",
            "NoResourceAvailableException: Could not acquire the resources",
        ),
        ("Pipeline 1 failed in state CANCELLED: unknown error", "CANCELLED: unknown error"),
        ("", "the engine gives no reason"),
    ],
)
def test_the_cause_is_named(text: str, words: str) -> None:
    error = explain_failure("taxi-transform-1", text, "hint")
    assert type(error) is PipelineError
    assert error.message.startswith("job taxi-transform-1 failed on its engine: ")
    assert words in error.message
    assert "while running" not in error.message
    assert error.hint == "hint"


@pytest.mark.parametrize("kind", [DataError, ConfigError])
def test_a_refusal_keeps_its_class_and_its_sentence(kind: type[PipelineError]) -> None:
    text = FROM_FLINK.format(error="pipeline.core.errors." + kind.__name__ + ": fare: not a number")
    error = explain_failure("job", text)
    assert type(error) is kind
    assert error.message == "fare: not a number"
