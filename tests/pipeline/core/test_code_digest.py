"""The digest changes with the code that a component runs, and with no other code."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.core import code_digest as module
from pipeline.core.code_digest import code_digest, may_define, unchanged_sources


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    for name, source in {
        "__init__": "",
        "run": "from shop import models\nfrom .features import price\nimport json\n",
        "models": "from . import layers\n",
        "layers": "UNITS = 3\n",
        "features": "price = 1\n",
        "unused": "x = 1\n",
    }.items():
        (root / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    yield root
    for name in [n for n in sys.modules if n.split(".")[0] == "shop"]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["run", "models", "layers", "features", "__init__"])
def test_an_edit_of_an_imported_module_changes_the_digest(package: Path, name: str) -> None:
    before = code_digest("shop.run")
    with (package / f"{name}.py").open("a") as file:
        file.write("# edited\n")
    assert code_digest("shop.run") != before


def test_an_edit_of_a_module_that_is_not_imported_keeps_the_digest(package: Path) -> None:
    before = code_digest("shop.run")
    (package / "unused.py").write_text("x = 2\n")
    assert code_digest("shop.run") == before


def test_an_edit_of_another_package_changes_the_digest(package: Path) -> None:
    before = code_digest("trainer_module.encoding.tokens", "shop.models")
    (package / "layers.py").write_text("UNITS = 4\n")
    assert code_digest("trainer_module.encoding.tokens", "shop.models") != before


@pytest.mark.parametrize(
    "statement",
    [
        "if x:\n    pass\nelif y:\n    pass\nelse:\n    {}",
        "try:\n    pass\nexcept ImportError:\n    {}",
        "try:\n    pass\nfinally:\n    {}",
        "match x:\n    case 1:\n        with y:\n            {}",
        "for x in y:\n    pass\nelse:\n    {}",
        "class Late:\n    async def load():\n        while 1:\n            {}",
    ],
)
def test_an_import_in_any_block_counts(package: Path, statement: str) -> None:
    (package / "run.py").write_text(statement.format("import shop.unused") + "\n")
    before = code_digest("shop.run")
    (package / "unused.py").write_text("x = 2\n")
    assert code_digest("shop.run") != before


def test_an_edit_while_a_pipeline_is_made_counts_for_no_digest_and_afterwards_for_all(
    package: Path,
) -> None:
    before = code_digest("shop.run")
    with unchanged_sources():
        assert code_digest("shop.run") == before
        (package / "layers.py").write_text("UNITS = 4\n")
        assert code_digest("shop.run") == before
        with unchanged_sources():
            assert code_digest("shop.run") == before
        assert code_digest("shop.run") == before
    assert code_digest("shop.run") != before


def test_threads_make_digests_at_the_same_time(package: Path) -> None:
    """As the threads of an engine's worker do, whose digests begin and end at any time."""
    expected = code_digest("shop.run")
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(code_digest, ["shop.run"] * 200)) == {expected}


@pytest.fixture
def siblings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Modules of several names in one directory, and a library installed below it."""
    installed = tmp_path / "venv" / "site-packages"
    for path, source in {
        "mynet.py": "import sys, mylayers, library\nfrom mypackage.sub import z\n",
        "mylayers.py": "raise SystemExit('imported')\n",
        "mypackage/__init__.py": "raise SystemExit('imported')\n",
        "mypackage/sub.py": "def late():\n    from bare.deep import deepest\n",
        "bare/deep/deepest.py": "x = 1\n",
        "unused.py": "x = 1\n",
        "venv/site-packages/library.py": "x = 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    monkeypatch.syspath_prepend(installed)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("mynet.py", True),
        ("mylayers.py", True),
        ("mypackage/__init__.py", True),
        ("mypackage/sub.py", True),
        ("bare/deep/deepest.py", True),
        ("unused.py", False),
        ("venv/site-packages/library.py", False),
    ],
)
def test_imports_beside_the_module_count_and_installed_packages_do_not(
    siblings: Path, path: str, counts: bool
) -> None:
    before = code_digest("trainer_module.run", "mynet")
    with (siblings / path).open("a") as file:
        file.write("# edited\n")
    assert (code_digest("trainer_module.run", "mynet") != before) is counts


def test_preprocessing_does_not_depend_on_the_model() -> None:
    sources = module._sources("trainer_module.preprocessing")
    assert "trainer_module.names" in sources
    of_the_model = {"trainer_module.models.network", "trainer_module.run", "trainer_module.export"}
    assert not of_the_model & set(sources)


def test_a_missing_module_is_an_error() -> None:
    with pytest.raises(ModuleNotFoundError):
        code_digest("trainer_module.absent")


def test_names_that_a_module_defines_are_found_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nets.py").write_text(
        "raise SystemExit\nfrom shop import wide as broad\nif 1:\n    def deep(): inner = 1\n"
        "class Gate: pass\nlast = deep\n"
    )
    (tmp_path / "all_of.py").write_text("from nets import *\n")
    monkeypatch.syspath_prepend(tmp_path)
    names = ("broad", "deep", "Gate", "last", "wide", "inner", "depe")
    assert [name for name in names if may_define("nets", name)] == ["broad", "deep", "Gate", "last"]
    assert may_define("all_of", "anything"), "only running it would tell"
