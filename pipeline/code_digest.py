"""What code a component runs, as a digest that TFX's cache can see.

Code that is loaded by module path is invisible to the cache. The digest covers the module and
everything of this project it imports, and nothing else: an edit of the model leaves Transform
cached.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

_PROJECT_PACKAGES = ("components", "pipeline", "trainer_module")


def code_digest(*modules: str) -> str:
    """The digest of `modules` and of what they import, directly or not.

    Of their own packages and of this project; other packages change with their version only.

    Raises:
      ModuleNotFoundError: there is no such module.
    """
    packages = {*_PROJECT_PACKAGES, *(module.split(".")[0] for module in modules)}
    sources: dict[str, bytes] = {}
    for module in modules:
        _collect(module, packages, sources)
    hashed = hashlib.sha256()
    for name in sorted(sources):
        hashed.update(name.encode() + b"\0" + sources[name] + b"\0")
    return hashed.hexdigest()[:32]


def stamp_code(node: Any) -> None:
    """Lets the cache see the code of a component of ours: its executor's flags are in the key.

    `node` is a TFX component; those of other packages change with their version only.
    """
    module = node.executor_spec.executor_class.__module__
    if module.split(".")[0] in _PROJECT_PACKAGES:
        node.executor_spec.add_extra_flags([f"--code={code_digest(module)}"])


def _collect(module: str, packages: Container[str], sources: dict[str, bytes]) -> None:
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    if module in sources:
        return
    sources[module] = Path(spec.origin).read_bytes()
    package = module if spec.submodule_search_locations else module.rpartition(".")[0]
    # Whoever imports a module runs what its packages hold.
    for imported in (*_imports(sources[module], package), module.rpartition(".")[0]):
        if imported.split(".")[0] in packages and _is_module(imported):
            _collect(imported, packages, sources)


def _imports(source: bytes, package: str) -> Iterator[str]:
    """The dotted names a module imports; of `from a import b` also a.b, which may be a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(name, package) if node.level else name
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # The parent is a module, so `name` is something defined in it.
        return False
