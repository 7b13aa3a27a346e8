"""Why an analysis refuses the data, in a file from a worker of Beam to the process of the run.

Of an exception, engines pass on a text at best, with their own words around it.
"""

from __future__ import annotations

import json

from pipeline.core.errors import DataError

REFUSAL_FILE = "refusal.json"


def refusal_to_json(error: DataError) -> str:
    """The content of the file."""
    return json.dumps({"message": error.message, "hint": error.hint})


def refusal_of_json(text: str) -> DataError:
    """The error that `refusal_to_json` wrote, to be raised."""
    return DataError(**json.loads(text))
