"""Digests of the code that a component runs, for the key of TFX's cache.

TFX's cache does not see code that is loaded by module path. A digest covers a module and every
module that it imports, directly or not, from three places: this project, the module's own package,
and the directory of that package. An import of `a.b` also runs `a/__init__.py`, so the digest
covers this file with all that it imports. Two consequences:

- An edit in `trainer_module/models/` keeps Transform cached: no module of Transform imports it.
- `pipeline/config/__init__.py` imports all sections. So an edit of any section's module runs nearly
  all components of this project again, ExampleGen included, even if it only changes a default of
  `training`. The same value in the user's configuration file reruns only the components that
  receive it.

The digest reads the sources and imports none of them.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import pkgutil
import symtable
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

PROJECT = Path(__file__).parents[2]
"""The directory of this project's packages: a checkout, or where the wheel is installed."""
PROJECT_PACKAGES = ("components", "pipeline", "serving", "trainer_module")
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""The names of directories that hold installed packages."""

_FLAG = "--code="
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements that hold other statements."""
_STANDARD_LIBRARY = sysconfig.get_path("stdlib")
_P = ParamSpec("_P")
_R = TypeVar("_R")
_answers: ContextVar[dict[Any, Any] | None] = ContextVar("answers", default=None)
"""What is known of the sources inside `unchanged_sources`, by function and arguments. Each thread
has its own: an engine's worker may look at its code in several threads at once."""


@contextmanager
def unchanged_sources() -> Iterator[None]:
    """Inside, each source is looked up, read and hashed once, for all digests.

    The digests of a pipeline cover the same modules many times over. An edit meanwhile counts for
    all of them or for none.
    """
    outer = _answers.get()
    token = _answers.set({} if outer is None else outer)
    try:
        yield
    finally:
        _answers.reset(token)


def _once_if_unchanged(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Remembers the answers of `function` inside `unchanged_sources`."""

    @functools.wraps(function)
    def answer(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        answers = _answers.get()
        if answers is None:
            return function(*args, **kwargs)
        key = (function, args)
        if key not in answers:
            answers[key] = function(*args, **kwargs)
        known: _R = answers[key]
        return known

    return answer


@_once_if_unchanged
def code_digest(*modules: str) -> str:
    """Returns the digest of `modules` and of what they import: 32 hexadecimal digits.

    Installed packages are left out: their code changes only with their version.

    Raises:
      ModuleNotFoundError: one of the modules does not exist.
    """
    with unchanged_sources():
        sources = _sources(*modules)
    hashed = hashlib.sha256()
    for name in sorted(sources):
        hashed.update(name.encode() + b"\0" + sources[name] + b"\0")
    return hashed.hexdigest()[:32]


def may_define(module: str, name: str) -> bool:
    """Whether the module's source defines or imports `name`; True if only running it would tell."""
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
    """Adds the code digest of a component of this project to its executor's flags.

    The flags are part of the cache key. `node` is a TFX component; components of other packages
    stay as they are, because their code changes only with their version.
    """
    module = node.executor_spec.executor_class.__module__
    if module.split(".")[0] in PROJECT_PACKAGES:
        node.executor_spec.add_extra_flags([f"{_FLAG}{code_digest(module)}"])


def read_stamp(node: Any) -> str | None:
    """Returns the digest that `stamp_code` added to a TFX component, or None."""
    flags = getattr(node.executor_spec, "extra_flags", ())
    stamps = (flag.removeprefix(_FLAG) for flag in flags if flag.startswith(_FLAG))
    return next(stamps, None)


def _sources(*modules: str) -> dict[str, bytes]:
    """Returns the content of each file that the digest covers, by module name."""
    named = {module.split(".")[0] for module in modules}
    directories = frozenset(path.parent for top in named for path in _package_paths(top))
    packages = frozenset({*PROJECT_PACKAGES, *named})
    for module in modules:
        spec = _find(module)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(module)
    sources: dict[str, bytes] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in sources:
            sources[module] = _read(module)
            waiting.extend(_covered_imports(module, packages, directories))
    return sources


@_once_if_unchanged
def _covered_imports(
    module: str, packages: frozenset[str], directories: frozenset[Path]
) -> tuple[str, ...]:
    """Returns the modules that `module` imports from the packages and directories.

    An import also runs the `__init__.py` of each package around the module.
    """
    parent = module.rpartition(".")[0]
    names = dict.fromkeys(filter(None, (*_imported_by(module, parent), parent)))
    return tuple(
        name
        for name in names
        if _is_covered(name.split(".")[0], packages, directories) and _find(name)
    )


def _imported_by(module: str, parent: str) -> tuple[str, ...]:
    spec = _find(module)
    if spec is None or not (spec.origin or "").endswith(".py"):
        return ()
    package = parent if spec.submodule_search_locations is None else module
    return _imported_names(_read(module), package)


@_once_if_unchanged
def _is_covered(top: str, packages: frozenset[str], directories: frozenset[Path]) -> bool:
    return top in packages or any(_lies_in(directories, path) for path in _package_paths(top))


@_once_if_unchanged
def _read(module: str) -> bytes:
    """Returns the module's file: empty for a package without an `__init__.py`."""
    path = Path((spec.origin if (spec := _find(module)) else "") or "")
    return path.read_bytes() if path.is_file() else b""


@_once_if_unchanged
def _package_paths(package: str) -> list[Path]:
    """Returns the directories of a package, or the file of a module that is no package."""
    spec = _find(package)
    if spec is None:
        return []
    return [Path(path) for path in spec.submodule_search_locations or [spec.origin or ""]]


def _lies_in(directories: frozenset[Path], path: Path) -> bool:
    """Whether the path lies below one of the directories, and is not installed."""
    if INSTALLED.intersection(path.parts) or path.is_relative_to(_STANDARD_LIBRARY):
        return False
    return any(path.is_relative_to(directory) for directory in directories)


@_once_if_unchanged
def _find(module: str) -> ModuleSpec | None:
    """Returns what `importlib.util.find_spec` does, but imports none of the module's packages."""
    parent, _, name = module.rpartition(".")
    if not parent:
        try:
            return importlib.util.find_spec(name)
        except ValueError:  # A module without a spec, such as __main__.
            return None
    package = _find(parent)
    places = (package and package.submodule_search_locations) or ()
    finders = filter(None, map(pkgutil.get_importer, places))
    return next(filter(None, (finder.find_spec(module) for finder in finders)), None)


# Cached: the digests of most components cover the same modules.
@functools.cache
def _imported_names(source: bytes, package: str) -> tuple[str, ...]:
    """Returns the dotted names that a module of `package` imports."""
    return tuple(_walk_imports(source, package))


def _walk_imports(source: bytes, package: str) -> Iterator[str]:
    """Yields the imported names; for `from a import b` also a.b, which may be a module."""
    for node in _walk_statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            name = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(name, package) if node.level else name
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _walk_statements(module: ast.Module) -> Iterator[ast.AST]:
    """Yields all statements, the nested ones too.

    Expressions hold no imports, and `ast.walk` spends most of its time on them.
    """
    waiting: list[ast.AST] = [module]
    while waiting:
        node = waiting.pop()
        yield node
        for field in _BLOCKS:
            waiting.extend(getattr(node, field, ()))
