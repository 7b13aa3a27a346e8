"""The command line. Each command is a thin function in the module of its group.

A command imports what it calls when it runs, so that `--help` answers at once.
"""

from pipeline.cli.group import main
from pipeline.cli.history import gc, lineage, runs
from pipeline.cli.kubeflow import compile_, deploy
from pipeline.cli.prediction import predict
from pipeline.cli.report import report
from pipeline.cli.serving import serve
from pipeline.cli.versions import promote, rollback, versions
from pipeline.cli.work import init, run, schema, tune

__all__ = ["main"]

_COMMANDS = (
    init, run, tune, schema, runs, report, lineage, gc, versions, rollback, promote, serve, predict,
    compile_, deploy,
)  # fmt: skip
for _command in _COMMANDS:
    main.add_command(_command)
