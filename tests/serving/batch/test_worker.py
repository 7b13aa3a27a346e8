import json
import subprocess
import sys
from pathlib import Path

from batch_predictions import make_task, write_many


def test_the_process_answers_with_lines_of_json_alone(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 5)
    task = make_task(pushed, tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "serving.batch.worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(task.to_json() + "\n")
    process.stdin.flush()
    messages = [json.loads(line) for line in process.stdout]
    process.communicate()
    assert process.returncode == 0
    assert messages[-1]["outcome"]["rows"] == 5
    assert all(message.keys() == {"rows", "bad"} for message in messages[:-1])
