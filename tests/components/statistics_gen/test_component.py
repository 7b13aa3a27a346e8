"""Codes of categories are counted, other columns keep their usual statistics."""

import pandas as pd
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import channel, standard_artifacts

from components.statistics_gen.component import StatisticsGen, build_stats_options

TABLE = pd.DataFrame({"code": [7, 7, 8], "number": [7, 7, 8], "word": ["a", "b", "b"]})


def test_only_integer_codes_of_categories_are_counted():
    options = build_stats_options(["code", "word"])
    statistics = tfdv.generate_statistics_from_dataframe(TABLE, stats_options=options)
    kinds = {f.path.step[0]: f.WhichOneof("stats") for f in statistics.datasets[0].features}
    assert kinds == {"code": "string_stats", "number": "num_stats", "word": "string_stats"}


def test_without_categories_the_options_are_those_of_tfdv():
    assert build_stats_options([]).to_json() == tfdv.StatsOptions().to_json()


def test_the_component_carries_the_categories_in_its_properties():
    examples = channel.Channel(type=standard_artifacts.Examples)
    component = StatisticsGen(examples, ["code"])
    options = tfdv.StatsOptions.from_json(component.exec_properties["stats_options_json"])
    (feature,) = options.schema.feature
    assert (feature.name, feature.type) == ("code", schema_pb2.INT)
    assert feature.int_domain.is_categorical
