"""Local passes go over all parts of a table, in the order of its files."""

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.parts import list_sources, plan_parts
from components.columnar_example_gen.passes import LocalPasses
from components.columnar_example_gen.times.boundaries import TimeQuestion
from components.tables.typed_table import TypedTable
from pipeline.config import DataConfig, LabelConfig


def test_each_pass_reads_the_files_of_all_parts(write):
    files = [write("1.csv", "n,y\n1,0\n2,1\n"), write("2.csv", "n,y\nx,0\n7,1\n")]
    data = DataConfig(path=tuple(map(str, files)))
    config = IngestConfig(data, LabelConfig(column="y", task="regression"), {})
    parts = plan_parts(files, data)
    passes = LocalPasses(config, {}, parts)
    assert passes.infer_types(["n", "y"]) == {"n": "string", "y": "int"}
    counts = passes.count_stray_text(["n"])
    assert (counts["n"].present, counts["n"].first) == (4, (files[1], 0, "x"))
    table = TypedTable(list_sources(parts), data, {}, {"n": "string", "y": "int"})
    survey = passes.survey_times(table, TimeQuestion("y", "y", (0,)))
    assert survey.cells[0].rows.tolist() == [2, 2]
