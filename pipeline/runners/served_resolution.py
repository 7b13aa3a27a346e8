"""What is served, as the components that read it are told before a run."""

from __future__ import annotations

from components.served_model import keys, pointer
from components.served_model.served_record import Role
from pipeline.config import Config
from pipeline.keys import data_key, run_key


def resolve_served(config: Config, serving: str, fingerprint: str) -> dict[Role, str]:
    """What each role resolves to for data with `fingerprint`, for the cache: see ServedModel."""
    static: dict[Role, str] = {"reference": data_key(config), "baseline": run_key(config)}
    whole = {role: keys.with_fingerprint(key, fingerprint) for role, key in static.items()}
    return {r: pointer.resolution(k, pointer.find_record(serving, r, k)) for r, k in whole.items()}
