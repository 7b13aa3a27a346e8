"""Workers as real processes, which run Python scripts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripted_workers import make_launcher, skip_pause

from components.supervision.processes import ProcessLauncher
from components.supervision.supervisor import Policy, supervise
from pipeline.core.errors import PipelineError


def test_each_worker_gets_all_addresses_and_its_own_index(tmp_path: Path) -> None:
    script = "open(f'{folder}/config{task}', 'w').write(os.environ['TF_CONFIG'])"
    supervise(make_launcher(tmp_path, script), Policy())
    one, other = (json.loads((tmp_path / f"config{i}").read_text()) for i in range(2))
    assert one["cluster"] == other["cluster"]
    assert len(set(one["cluster"]["worker"])) == 2
    assert [c["task"] for c in (one, other)] == [
        {"type": "worker", "index": 0},
        {"type": "worker", "index": 1},
    ]


class _EndedPopen(subprocess.Popen[bytes]):
    """A process that ends before the launcher can write to it."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.wait()


def test_an_exit_code_is_read_of_a_worker_that_ended_before_it_read_its_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(subprocess, "Popen", _EndedPopen)
    died = ProcessLauncher("{}", {"worker": 1}, ["sh", "-c", "exit 3"], None)
    with pytest.raises(PipelineError, match="worker 0 ended with 3"):
        supervise(died, Policy(max_restarts=0), skip_pause)


def test_a_truncated_report_is_ignored(tmp_path: Path) -> None:
    script = """
    open(os.environ["PIPELINE_REPORT"], "w").write('{"message": "tr')
    os._exit(143)
    """
    with pytest.raises(PipelineError, match="worker 0 ended with 143"):
        supervise(make_launcher(tmp_path, script, workers=1), Policy(max_restarts=0), skip_pause)
