"""Where the local cluster keeps its files."""

from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build/flink"
"""Everything that the cluster needs and leaves: jars, logs, temporary files, its state."""
JARS = BUILD / "jars"
LOGS = BUILD / "logs"
TEMPORARY = BUILD / "temporary"
STATE = BUILD / "state.json"
