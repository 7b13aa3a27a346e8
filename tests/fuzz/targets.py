"""What reads bytes of strangers: each target takes any bytes, or refuses them in words."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from components.columnar_example_gen.ingest import ingest
from components.columnar_example_gen.ingest_config import IngestConfig
from pipeline.config import load_config
from pipeline.core.contracts import Split
from pipeline.core.errors import PipelineError
from pipeline.core.text import printable
from pipeline.onboarding import propose_config
from pipeline.runners.kfp_local.spec import read_pipeline
from serving.errors import RequestError
from serving.rows.request import parse_json, read_rows, signature_name
from serving.rows.signature import Signature, Tensor

LABEL = "label"
"""The column that the tables of the corpus are to predict."""
_SIGNATURES = (
    Signature(
        "serving_default",
        (
            Tensor("count", "int64", 2, 1),
            Tensor("fare", "float32", 2, 1),
            Tensor("paid", "string", 2, 1),
        ),
        (),
    ),
    Signature("serving_examples", (Tensor("examples", "string", 1),), ()),
)

Target = Callable[[bytes], None]


def read_table(content: bytes) -> None:
    """`init`, and ExampleGen with what `init` proposed: no row may be lost."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        path = Path(name) / "table.csv"
        path.write_bytes(content)
        config = propose_config([str(path)], LABEL, Path(name) / "my.yaml").config
        splits = {split: Path(name) / split for split in Split.ALL}
        for directory in splits.values():
            directory.mkdir()
        ingest([path], IngestConfig(config.data, config.label, config.column_types()), splits)


def read_configuration(content: bytes) -> None:
    """A configuration, alone and over a good one; and the same as the value of `--set`."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        base, overlay = Path(name) / "base.yaml", Path(name) / "overlay.yaml"
        base.write_text(_GOOD_CONFIGURATION, encoding="utf-8")
        overlay.write_bytes(content)
        for paths in ([overlay], [base, overlay]):
            _expect_words(lambda paths=paths: load_config(paths))
        value = content.decode(errors="surrogateescape")
        _expect_words(lambda: load_config([base], [f"training={value}"]))


def read_body(content: bytes) -> None:
    """The body of a predict request, for each signature."""
    request = parse_json(content)
    signature_name(request)
    for signature in _SIGNATURES:
        _expect_words(lambda signature=signature: _read_rows(request, signature))


def read_compiled(content: bytes) -> None:
    """A compiled pipeline."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        path = Path(name) / "pipeline.yaml"
        path.write_bytes(content)
        read_pipeline(path)


TARGETS: dict[str, Target] = {
    "csv": read_table,
    "yaml": read_configuration,
    "http": read_body,
    "compiled": read_compiled,
}


def try_target(target: Target, content: bytes) -> None:
    """Gives the bytes to the target; every exception that comes out of here is a fault."""
    _expect_words(lambda: target(content))


def _expect_words(call: Callable[[], object]) -> None:
    """Calls, and accepts an error that says something to a person."""
    try:
        call()
    except PipelineError as error:
        parts = error.parts
    except RequestError as error:
        if error.status >= 500:
            raise AssertionError(f"status {error.status}") from error
        parts = (error,)
    else:
        return
    for part in parts:
        assert printable(part.message).strip(), "an error without words"


def _read_rows(request: dict, signature: Signature) -> None:
    rows = read_rows(request, signature)
    for group, block in zip(signature.groups, rows.blocks, strict=True):
        assert block.shape[:1] == (rows.count,), (group, block.shape, rows.count)


_GOOD_CONFIGURATION = """\
name: shop
data: {path: shop.csv}
features: {price: numeric, color: categorical}
label: {column: bought, task: binary, classes: [0, 1]}
"""
