"""What code a component runs, as a digest that TFX's cache can see.

Code that is loaded by module path is invisible to the cache. The digest covers the module and
what it imports of this project, of its own package and of the directory it lies in, and nothing
else: an edit of the model leaves Transform cached. Nothing is imported to find that out.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import pkgutil
import symtable
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

_PROJECT_PACKAGES = ("components", "pipeline", "trainer_module")
_INSTALLED = {"site-packages", "dist-packages"}
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")


def code_digest(*modules: str) -> str:
    """The digest of `modules` and of what they import, directly or not.

    Of this project, of their own packages, and of the directories that these lie in; what is
    installed otherwise changes with its version only.

    Raises:
      ModuleNotFoundError: there is no such module.
    """
    sources = _sources(*modules)
    hashed = hashlib.sha256()
    for name in sorted(sources):
        hashed.update(name.encode() + b"\0" + sources[name] + b"\0")
    return hashed.hexdigest()[:32]


def may_define(module: str, name: str) -> bool:
    """Whether a module has a name of its own, as far as its source tells without being run."""
    path = Path((spec.origin if (spec := _find(module)) else "") or "")
    if path.suffix != ".py":
        return True
    source = path.read_bytes()
    if b"__getattr__" in source or b"globals" in source or b"import *" in source:
        return True
    symbols = symtable.symtable(
        source.decode("utf-8-sig", "replace"), str(path), "exec"
    ).get_symbols()
    return any(s.get_name() == name and (s.is_assigned() or s.is_imported()) for s in symbols)


def stamp_code(node: Any) -> None:
    """Lets the cache see the code of a component of ours: its executor's flags are in the key.

    `node` is a TFX component; those of other packages change with their version only.
    """
    module = node.executor_spec.executor_class.__module__
    if module.split(".")[0] in _PROJECT_PACKAGES:
        node.executor_spec.add_extra_flags([f"--code={code_digest(module)}"])


def _sources(*modules: str) -> dict[str, bytes]:
    """The content of each file that the digest covers, by the name of its module."""
    packages = {module.split(".")[0] for module in modules}
    directories = [place.parent for package in packages for place in _places(package)]
    sources: dict[str, bytes] = {}
    for module in modules:
        spec = _find(module)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(module)
        _collect(module, {*_PROJECT_PACKAGES, *packages}, directories, sources)
    return sources


def _collect(
    module: str, packages: set[str], directories: Sequence[Path], sources: dict[str, bytes]
) -> None:
    if module in sources or (spec := _find(module)) is None:
        return
    path = Path(spec.origin or "")
    # A package without an __init__.py has no file.
    sources[module] = path.read_bytes() if path.is_file() else b""
    parent = module.rpartition(".")[0]
    package = parent if spec.submodule_search_locations is None else module
    imports = _imports(sources[module], package) if path.suffix == ".py" else ()
    # Whoever imports a module runs what its packages hold.
    for imported in filter(None, (*imports, parent)):
        top = imported.split(".")[0]
        if top in packages or any(_lies_in(directories, place) for place in _places(top)):
            _collect(imported, packages, directories, sources)


def _places(package: str) -> list[Path]:
    """The directories of a package; the file of a module that is none."""
    spec = _find(package)
    if spec is None:
        return []
    return [Path(place) for place in spec.submodule_search_locations or [spec.origin or ""]]


def _lies_in(directories: Sequence[Path], place: Path) -> bool:
    if _INSTALLED.intersection(place.parts) or place.is_relative_to(_STANDARD_LIBRARY):
        return False
    return any(place.is_relative_to(directory) for directory in directories)


def _find(module: str) -> ModuleSpec | None:
    """As importlib's find_spec, which imports the packages that the module is in."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except ValueError:  # Made while this process runs, as __main__ is.
        return None
    for name in rest:
        places = (spec and spec.submodule_search_locations) or ()
        finders = filter(None, map(pkgutil.get_importer, places))
        spec = next(filter(None, (finder.find_spec(name) for finder in finders)), None)
    return spec


@functools.cache
def _imports(source: bytes, package: str) -> tuple[str, ...]:
    """The dotted names a module imports; of `from a import b` also a.b, which may be a module.

    Kept: most components share most of the modules that their digests cover.
    """
    return tuple(_imported(source, package))


def _imported(source: bytes, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(name, package) if node.level else name
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
