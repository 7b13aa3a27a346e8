"""The file by which TensorFlow Serving serves the version of the pointer.

Without the file, TensorFlow Serving loads the version with the highest number, also after a
rollback to a lower one. It reads the file again and again if its flags are
`--model_config_file=DIR/models.config --model_config_file_poll_wait_seconds=5`.
"""

from __future__ import annotations

import os
import re

from pipeline.core.files import write_text_atomically

MODELS_CONFIG = "models.config"
"""The file in the serving directory."""
_POLICY = re.compile(r"(model_version_policy\s*:?\s*\{\s*specific\s*:?\s*\{\s*versions\s*:\s*)\d+")
_NEW = """\
# For TensorFlow Serving. Each push, rollback and promotion writes the served version here, and
# leaves all else as it is: correct name and base_path if the server needs others.
model_config_list {{
  config {{
    name: "{name}"
    base_path: "/models/{name}"
    model_platform: "tensorflow"
    model_version_policy {{ specific {{ versions: {version} }} }}
  }}
}}
"""


def write_models_config(serving_directory: str, version: str, name: str) -> None:
    """Makes the file name the version; what a person changed in it otherwise stays.

    A file without a policy for one specific version stays as it is: its author wants another
    policy.

    Args:
      name: the name of the model in a new file.
    """
    path = os.path.join(serving_directory, MODELS_CONFIG)
    text = _read(path)
    if text is None:
        new = _NEW.format(name=name, version=version)
    else:
        new = _POLICY.sub(rf"\g<1>{version}", text, count=1)
    if new != text:
        write_text_atomically(path, new, durable=True)


def update_models_config(serving_directory: str, version: str) -> None:
    """Makes an existing file name the version: a killed push may not have done so."""
    if _read(os.path.join(serving_directory, MODELS_CONFIG)) is not None:
        write_models_config(serving_directory, version, "")


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None
