"""Looks the served model up before a run, for the components that read it."""

from __future__ import annotations

from components.served_model import keys, pointer
from components.served_model.served_record import Role
from pipeline.config import Config
from pipeline.keys import make_data_key, make_run_key


def resolve_served_model(config: Config, serving: str, fingerprint: str) -> dict[Role, str]:
    """Returns the resolution of each role, for data with `fingerprint`.

    A ServedModel component has the resolution as a property, so that its cache entry holds only
    while the same model is served.
    """
    static: dict[Role, str] = {"reference": make_data_key(config), "baseline": make_run_key(config)}
    whole = {role: keys.add_fingerprint(key, fingerprint) for role, key in static.items()}
    return {
        r: pointer.make_resolution(k, pointer.find_record(serving, r, k)) for r, k in whole.items()
    }


def resolve_withdrawal(config: Config, serving: str, fingerprint: str) -> str:
    """Returns the text by which the cache sees that the candidate is withdrawn, or empty text."""
    key = keys.add_fingerprint(make_run_key(config), fingerprint)
    return pointer.resolve_withdrawal(serving, key)
