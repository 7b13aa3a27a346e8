"""Reading data never runs code: pickles in files are refused, and the project has no pickles."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [
    p for d in ("pipeline", "components", "trainer_module") for p in (ROOT / d).rglob("*.py")
]
RUN_DATA = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "torch"}

ARGUMENTS = "init --data table.parquet --label y --output my.yaml".split()

# Arrow's own class for such types is gone from newer releases: the file holds what it wrote.
WRITE = """
import os, sys, pyarrow as pa, pyarrow.parquet as pq
class Attack(pa.PyExtensionType):
    def __init__(self): super().__init__(pa.string())
    def __reduce__(self): return os.system, ("touch pwned",)
column = pa.ExtensionArray.from_storage(Attack(), pa.array(["a", "b"] * 50))
label = pa.array([0, 1] * 50)
pq.write_table(pa.table({"x": column, "y": label}), "table.parquet")
"""


@pytest.mark.skipif(not hasattr(pa, "PyExtensionType"), reason="this Arrow cannot write the attack")
def test_a_parquet_file_that_pickles_its_types_is_refused(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", WRITE], cwd=tmp_path, check=True)
    proposed = subprocess.run(
        [sys.executable, "-m", "pipeline", *ARGUMENTS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert not (tmp_path / "pwned").exists()
    assert proposed.returncode == 3, proposed.stderr
    assert "the type of a column is pickled Python" in proposed.stderr


def test_the_attack_succeeds_on_an_old_arrow_without_the_refusal(tmp_path: Path) -> None:
    """Without this, the test above would prove nothing."""
    if int(pa.__version__.partition(".")[0]) >= 15:
        pytest.skip("this Arrow does not unpickle by itself")
    subprocess.run([sys.executable, "-c", WRITE], cwd=tmp_path, check=True)
    read = "import pyarrow.parquet as pq; pq.ParquetFile('table.parquet')"
    subprocess.run([sys.executable, "-c", read], cwd=tmp_path, capture_output=True)
    assert (tmp_path / "pwned").exists()


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_module_loads_code_from_data(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            names = {module, *(alias.name for alias in node.names)}
            assert not {name.split(".")[0] for name in names} & RUN_DATA
        if isinstance(node, ast.Call):
            assert getattr(node.func, "id", "") not in ("eval", "exec", "compile", "__import__")
            given = {k.arg for k in node.keywords if not is_false(k.value)}
            assert given.isdisjoint({"allow_pickle", "shell"})


def is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False
