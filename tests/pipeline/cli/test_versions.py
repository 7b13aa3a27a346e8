"""The commands `versions`, `rollback` and `promote`, as processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

from command_process import ROOT, command
from shop_versions import Shop


def test_a_version_is_listed_rolled_back_and_promoted(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "out")
    output = ("--output", str(shop.root))
    assert command("rollback", *output)[0] == 2
    first, second = shop.push("one"), shop.push("two")
    code, printed = command("versions", *output)
    assert code == 0, printed
    assert "pushed by run run-two" in printed
    code, printed = command("rollback", *output, "--reason", "wrong \x1b[31mlabels")
    assert code == 0, printed
    assert f"Version {first} is served now in place of version {second}." in printed
    assert shop.served() == "one"
    code, printed = command("versions", *output, "--json")
    one, two = json.loads(printed)
    assert (one["version"], one["state"]) == (first, "served")
    assert (two["state"], two["reason"]) == ("withdrawn", "wrong \x1b[31mlabels")
    assert "\x1b" not in command("versions", *output)[1]
    code, printed = command("promote", second, *output)
    assert (code, shop.served()) == (0, "two"), printed


def test_wrong_usage_ends_with_2_and_changes_nothing(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "out")
    shop.push("one")
    for arguments in (("rollback",), ("rollback", "17"), ("promote",), ("promote", "x")):
        code, printed = command(*arguments, "--output", str(shop.root))
        assert code == 2, printed
        assert "Error: " in printed
    assert shop.served() == "one"


def test_the_commands_import_no_tensorflow(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "out")
    shop.push("one")
    shop.push("two")
    lines = (
        "import sys; from pipeline.cli import main;"
        f"main(['rollback', '--output', {str(shop.root)!r}], standalone_mode=False);"
        "assert not {'tensorflow', 'tfx', 'apache_beam'} & {*sys.modules}"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", lines], env=environment, check=True)
    assert shop.served() == "one"
