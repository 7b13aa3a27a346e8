"""Makes a blessed candidate wait for `promote`, where `serving.mode` is manual."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from components.pusher.versions import (
    make_staging_path,
    remove_candidate,
    remove_candidates_of,
    remove_unfinished_push,
)
from components.served_model.waiting import (
    CANDIDATE_FILE,
    Candidate,
    list_numbers,
    waiting_directory,
)
from pipeline.core.files import copy_tree, file_sizes, sync, sync_tree, write_text_atomically


def add_candidate(
    serving_directory: str, candidate: Candidate, places: Mapping[str, str]
) -> Candidate:
    """Copies a candidate to its place, and removes older copies of it and too many candidates.

    The caller must hold the lock of the serving directory.

    Args:
      places: the directories to copy, by their names in the candidate's directory.

    Returns:
      The candidate with the sizes of its files.
    """
    remove_unfinished_push(serving_directory)
    place = waiting_directory(serving_directory, candidate.number)
    staged = make_staging_path(serving_directory)
    for name, directory in places.items():
        copy_tree(directory, os.path.join(staged, name))
    files = file_sizes(os.path.join(staged, "model"))
    whole = replace(candidate, record=replace(candidate.record, files=files))
    write_text_atomically(os.path.join(staged, CANDIDATE_FILE), whole.to_json(), durable=True)
    sync_tree(staged)
    # An equal model of an earlier run: only one copy of it may wait.
    remove_candidates_of(serving_directory, candidate.record.push_key)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    os.rename(staged, place)
    for changed in (os.path.dirname(place), serving_directory):
        sync(changed)
    for number in list_numbers(serving_directory)[: -candidate.keep_versions]:
        remove_candidate(serving_directory, number)
    return whole
