"""What the project is made of can be listed, and compared with published advisories."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
LOCK_LINE = re.compile(r"^([\w.-]+)==([^ \\;]+)", re.MULTILINE)

ADVISORY = {
    "id": "PYSEC-2023-238",
    "aliases": ["CVE-2023-47248", "GHSA-5wvp-7f3h-6wmm"],
    "modified": "2023-11-17T00:00:00Z",
    "summary": "pickled column types",
    "affected": [
        {
            "package": {"name": "pyarrow", "ecosystem": "PyPI"},
            "ranges": [
                {
                    "type": "ECOSYSTEM",
                    "events": [{"introduced": "0.14.0"}, {"fixed": "14.0.1"}],
                }
            ],
            "versions": ["10.0.1"],
        }
    ],
}


class _Mirror(BaseHTTPRequestHandler):
    """A mirror of the advisories that knows one."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        hit = (asked["package"]["name"], asked["version"]) == ("pyarrow", "10.0.1")
        body = json.dumps({"vulns": [ADVISORY]} if hit else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *unused: object) -> None:
        """Not into the tests' output."""


@pytest.fixture(scope="module")
def mirror() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Mirror) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/query"
        server.shutdown()


def audit(directory: Path, accepted: str, *arguments: str) -> tuple[int, str]:
    """`make audit` on a lock of two packages."""
    requirements = directory / "requirements"
    requirements.mkdir()
    (requirements / "accepted-advisories.yaml").write_text(accepted)
    lock = "".join(f"{name} --hash=sha256:{'0' * 64}\n" for name in ("pyarrow==10.0.1", "rich==15"))
    (requirements / "py310.txt").write_text(lock)
    answer = subprocess.run(
        [sys.executable, ROOT / "scripts/audit.py", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
    )
    return answer.returncode, answer.stdout + answer.stderr


def test_an_advisory_that_nobody_accepted_fails(tmp_path: Path, mirror: str) -> None:
    code, output = audit(tmp_path, "[]", "-s", "osv", "--osv-url", mirror)
    assert code == 1
    assert "pyarrow 10.0.1 (py310.txt): PYSEC-2023-238, fixed in 14.0.1" in output


@pytest.mark.parametrize("name", ["PYSEC-2023-238", "CVE-2023-47248"])
def test_an_accepted_advisory_passes(tmp_path: Path, mirror: str, name: str) -> None:
    code, output = audit(tmp_path, f"[{{id: {name}}}]", "-s", "osv", "--osv-url", mirror)
    assert (code, output) == (0, "2 packages, 0 open, 1 accepted\n")


def test_an_accepted_advisory_that_no_longer_applies_fails(tmp_path: Path, mirror: str) -> None:
    accepted = "[{id: PYSEC-2023-238}, {id: PYSEC-2020-1}]"
    code, output = audit(tmp_path, accepted, "-s", "osv", "--osv-url", mirror)
    assert code == 1
    assert "PYSEC-2020-1: accepted, but does not apply" in output


def test_a_service_that_cannot_be_reached_fails_the_audit(tmp_path: Path) -> None:
    nowhere = "http://127.0.0.1:9/v1/query"
    code, output = audit(tmp_path, "[]", "-s", "osv", "--osv-url", nowhere)
    assert code == 1
    assert output.startswith("Error: pip-audit failed for requirements/py310.txt: ")


def test_packages_without_an_answer_fail_the_audit(tmp_path: Path) -> None:
    """What pip-audit reports of an index that does not know the package, and ends with 0 for."""
    unknown = "surely-nobody-ever-published-this-package"
    requirements = tmp_path / "requirements"
    requirements.mkdir()
    (requirements / "accepted-advisories.yaml").write_text("[]")
    (requirements / "py310.txt").write_text(f"{unknown}==1.0 --hash=sha256:{'0' * 64}\n")
    answer = subprocess.run(
        [sys.executable, ROOT / "scripts/audit.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert answer.returncode == 1
    told = "answered for 0 of 1 packages", "pip-audit failed"  # The latter without network.
    assert any(words in answer.stderr for words in told), answer.stderr


def test_the_gpu_image_gets_the_libraries_that_tensorflow_names() -> None:
    needs = [Requirement(line) for line in metadata.requires("tensorflow") or ()]
    extra = [r for r in needs if r.marker and "and-cuda" in str(r.marker)]
    lock = ROOT / f"requirements/py{sys.version_info[0]}{sys.version_info[1]}-cuda.txt"
    text = lock.read_text(encoding="utf-8")
    locked = dict(LOCK_LINE.findall(text))
    assert locked.keys() == {canonicalize_name(r.name) for r in extra}
    assert [r for r in extra if locked[canonicalize_name(r.name)] not in r.specifier] == []
    assert text.count("--hash=sha256:") >= len(locked) > 8


def test_each_accepted_advisory_has_its_reasons() -> None:
    text = (ROOT / "requirements/accepted-advisories.yaml").read_text(encoding="utf-8")
    locked = {name for lock in LOCKS for name, _ in LOCK_LINE.findall(lock.read_text())}
    for entry in YAML(typ="safe").load(text):
        assert set(entry) == {"id", "package", "why", "limits"}
        assert entry["package"] in locked
        assert all(len(entry[key].split()) > 4 for key in ("why", "limits"))


@pytest.mark.long
@pytest.mark.slow
def test_the_bill_of_materials_is_whole_valid_and_always_the_same(tmp_path: Path) -> None:
    texts = []
    for name in ("a.json", "b.json"):
        subprocess.run(["make", "sbom", f"SBOM={tmp_path / name}"], cwd=ROOT, check=True)
        texts.append((tmp_path / name).read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(texts[0]) is None
    for path in (str(ROOT), str(Path.home()), str(tmp_path), "file:"):
        assert path not in texts[0]
    content = json.loads(texts[0])
    found = {(canonicalize_name(c["name"]), c["version"]) for c in content["components"]}
    version = f"py{sys.version_info.major}{sys.version_info.minor}.txt"
    locked = {
        (canonicalize_name(name), version)
        for name, version in LOCK_LINE.findall((ROOT / "requirements" / version).read_text())
    }
    assert found == locked
    assert content["metadata"]["component"]["name"] == "tfx-production-training"
