"""The shipped configurations except the taxi's, one of them with a source that is not columnar."""

import csv

import pytest
import tensorflow as tf
from support import ROOT, Project, Result

from components.data_figures.figures import DataFigures
from components.model_figures.figures import ModelFigures
from components.run_figures.figures_file import read_figures

pytestmark = [pytest.mark.slow, pytest.mark.long]

PENGUINS = ROOT / "data/penguins/penguins.csv"


def run_shipped(project: Project, name: str, *arguments: str) -> Result:
    config = project.write(f"{name}.yaml", (ROOT / f"configs/{name}.yaml").read_text())
    project.output = f"out-{name}-{len(arguments)}"
    return project.run(*arguments, config=config.name)


def test_the_bike_sharing_configuration_pushes_a_model(project: Project) -> None:
    path = ROOT / "data/bike_sharing/bike_sharing.csv"
    short = ("--set", "training.epochs=15")
    result = run_shipped(project, "bike_sharing", "--set", f"data.path={path}", *short)
    assert result.code == 0, result.output
    assert 0.6 < result.summary["metrics"][""]["r2"] < 1
    check_figures(project)


def test_the_penguins_configuration_reads_tfrecord(project: Project) -> None:
    path = project.directory / "penguins.tfrecord.gz"
    with PENGUINS.open() as file, tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for row in csv.DictReader(file):
            writer.write(to_example(row).SerializeToString())
    source = f"data={{source: tfrecord, path: {path}, split: {{train: 0.6, eval: 0.2, test: 0.2}}}}"
    result = run_shipped(project, "penguins", "--set", source, "--set", "training.epochs=40")
    assert result.code == 0, result.output
    assert "f1[Chinstrap]" in result.output
    check_figures(project)
    again = run_shipped(project, "penguins", "--set", source, "--set", "training.epochs=40")
    assert set(again.states().values()) == {"cached"}


def check_figures(project: Project) -> None:
    """Fails if a figure of the last run could not be made."""
    data = read_figures(project.find_output("DataFigures", "data_figures.json"), DataFigures)
    model = read_figures(project.find_output("ModelFigures", "model_figures.json"), ModelFigures)
    assert data.notes == model.notes == ()
    assert data.associations is not None
    assert getattr(model, model.task) is not None
    assert model.importance[0].permuted.value > 0


def to_example(row: dict[str, str]) -> tf.train.Example:
    """A row with its floats, integers and texts as such; an empty cell is left out."""
    example = tf.train.Example()
    for name, cell in row.items():
        feature = example.features.feature[name]
        if not cell:
            del example.features.feature[name]
        elif name.endswith("_mm"):
            feature.float_list.value.append(float(cell))
        elif name in ("body_mass_g", "year"):
            feature.int64_list.value.append(int(cell))
        else:
            feature.bytes_list.value.append(cell.encode())
    return example
