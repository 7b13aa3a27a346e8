"""The script that draws the charts of a page: Vega-Lite and Vega, 0.9 MB."""

from __future__ import annotations

import contextlib
import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from pipeline.core.environment import caches_directory
from pipeline.core.files import write_text_atomically

_PACKAGE = "vl-convert-python"
_VEGA_LITE = "6.4"
"""The version that fits the bundle's version of Vega; others warn."""
_DIGESTS = {"1.9.0.post1": "373b1f84072b31010f15ceb787be6b415c53936411aae267c8c2b2b6ccde46e7"}
"""The SHA-256 of the script, by the version of the package that makes it."""


@cache
def chart_script() -> str:
    """Returns the script, which holds nothing that ends a script element.

    Making it takes two seconds of CPU time, in which no other thread of this process runs. So a
    copy is kept among the user's caches. Others may be able to write there, and the script gets
    into all pages: a copy counts only if it has the digest that this module expects.
    """
    expected = _DIGESTS.get(version(_PACKAGE))
    return make_script() if expected is None else _kept_script(expected)


def make_script() -> str:
    """Returns the script as the installed package makes it."""
    import vl_convert

    script: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", _VEGA_LITE)
    return script


def _kept_script(expected: str) -> str:
    # Without a home directory, or with one that cannot be written, there is no copy.
    with contextlib.suppress(OSError, RuntimeError):
        content = _place_of_copy(expected).read_bytes()
        if hashlib.sha256(content).hexdigest() == expected:
            return content.decode("utf-8")
    script = make_script()
    with contextlib.suppress(OSError, RuntimeError):
        copy = _place_of_copy(expected)
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_text_atomically(copy, script, durable=False)
    return script


def _place_of_copy(digest: str) -> Path:
    return caches_directory() / "tfx-production-training/scripts" / f"{digest}.js"
