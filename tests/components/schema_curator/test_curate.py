"""The curator completes inferred, served and hand-written schemas, on real statistics."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.curate import curate_schema
from components.schema_curator.rules import CurationRules
from components.schema_curator.schema_defaults import _GROUP
from components.statistics_view.column_summary import ColumnSummary, summarize_columns
from components.statistics_view.schema_domains import read_domain
from pipeline.config import LabelConfig
from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from pipeline.core.errors import ConfigError

TABLE = pd.DataFrame(
    {
        "fare (€)": [5.0, None, 7.5, 8.0] * 25,
        "zip.code": [1, 2, 3, 0] * 25,
        "pay/type": ["Cash", "Card", "Cash", None] * 25,
        "flag": ["True", "False"] * 50,
        "note": ["so", "la"] * 50,
        "bit": [0, 1] * 50,
        "batch": ["b1", "b2"] * 50,
        "y": ["no", "yes"] * 50,
    }
)
KINDS = {
    "fare (€)": "numeric",
    "zip.code": "categorical",
    "pay/type": "categorical",
    "flag": "boolean",
    "note": "text",
    "bit": "categorical",
}


def rules(**changes: Any) -> CurationRules:
    fields: dict[str, Any] = {
        "kinds": KINDS,
        "label": LabelConfig(column="y", task="binary", classes=("no", "yes")),
        "imported": False,
        "reference": "served",
        "max_domain": 100,
        "new_category_share": 0.01,
        "missing_values_rise": 0.1,
    }
    return CurationRules(**(fields | changes))


def observed(table: pd.DataFrame) -> dict[str, ColumnSummary]:
    return summarize_columns([tfdv.generate_statistics_from_dataframe(table).datasets[0]])


def inferred(table: pd.DataFrame) -> schema_pb2.Schema:
    return tfdv.infer_schema(tfdv.generate_statistics_from_dataframe(table))


def first_run(table: pd.DataFrame = TABLE, **changes: Any) -> schema_pb2.Schema:
    columns = observed(table)
    return curate_schema(inferred(table), "inferred", columns, columns, rules(**changes))


def parse(text: str) -> schema_pb2.Schema:
    return text_format.Parse(text, schema_pb2.Schema())


def column(schema: schema_pb2.Schema, name: str) -> schema_pb2.Feature:
    return next(feature for feature in schema.feature if feature.name == name)


@pytest.fixture(scope="module")
def curated() -> schema_pb2.Schema:
    return first_run()


@pytest.fixture(scope="module")
def columns() -> dict[str, ColumnSummary]:
    return observed(TABLE)


def test_a_feature_without_a_value_in_one_split_gets_a_representation() -> None:
    """SchemaGen marks such a column as deprecated."""
    empty = TABLE.assign(note=None)
    splits = [tfdv.generate_statistics_from_dataframe(table) for table in (TABLE, empty)]
    base = tfdv.update_schema(tfdv.infer_schema(splits[0]), splits[1])
    assert {f.name for f in base.feature if f.lifecycle_stage} == {"note"}
    columns = summarize_columns(split.datasets[0] for split in splits)
    schema = curate_schema(base, "inferred", columns, columns, rules())
    assert "note" in schema.tensor_representation_group[_GROUP].tensor_representation


def test_every_column_is_dense_with_a_default_that_marks_missing_values(curated: Any) -> None:
    group = curated.tensor_representation_group[_GROUP].tensor_representation
    assert set(group) == set(TABLE.columns)
    assert all([d.size for d in r.dense_tensor.shape.dim] == [1] for r in group.values())
    default = {name: r.dense_tensor.default_value for name, r in group.items()}
    assert math.isnan(default["fare (€)"].float_value)
    assert default["zip.code"].int_value == MISSING_INT
    assert default["pay/type"].bytes_value == MISSING_STRING.encode()


def test_the_share_of_missing_values_may_rise_by_the_configured_amount(curated: Any) -> None:
    assert column(curated, "fare (€)").presence.min_fraction == pytest.approx(0.65)
    assert column(curated, "zip.code").presence.min_fraction == pytest.approx(0.9)
    assert column(curated, "y").presence.min_fraction == 1
    # With a shape, TFDV would report missing values as an anomaly.
    assert not any(feature.HasField("shape") for feature in curated.feature)


def test_only_closed_text_columns_in_use_get_a_domain(curated: Any) -> None:
    domains = {f.name: read_domain(curated, f) for f in curated.feature}
    assert {name: domain for name, domain in domains.items() if domain is not None} == {
        "pay/type": ["Card", "Cash"],
        "flag": ["False", "True"],
        "y": ["no", "yes"],
    }
    assert column(curated, "pay/type").distribution_constraints.min_domain_mass == 0.99
    assert column(curated, "y").distribution_constraints.min_domain_mass == 1


def test_no_number_gets_a_range(curated: Any) -> None:
    assert column(curated, "bit").WhichOneof("domain_info") is None
    assert str(column(curated, "fare (€)").float_domain).strip() == "disallow_inf: true"


def test_max_domain_may_exceed_the_limit_of_schema_gen() -> None:
    many = pd.DataFrame({"pay/type": [f"v{i % 150}" for i in range(600)], "y": ["no"] * 600})
    kinds = {"pay/type": "categorical"}
    wide = first_run(many, kinds=kinds, max_domain=200)
    assert len(read_domain(wide, column(wide, "pay/type")) or []) == 150
    narrow = first_run(many, kinds=kinds, max_domain=100)
    assert read_domain(narrow, column(narrow, "pay/type")) is None


def test_requests_without_a_label_are_valid_in_serving_only(curated: Any) -> None:
    requests = tfdv.generate_statistics_from_dataframe(TABLE.drop(columns="y"))
    serving = tfdv.validate_statistics(requests, curated, environment="SERVING")
    training = tfdv.validate_statistics(requests, curated, environment="TRAINING")
    assert not serving.anomaly_info
    assert list(training.anomaly_info) == ["y"]


def test_data_is_valid_against_the_schema_curated_from_it(curated: Any) -> None:
    statistics = tfdv.generate_statistics_from_dataframe(TABLE)
    assert not tfdv.validate_statistics(statistics, curated).anomaly_info


@pytest.mark.parametrize("origin", ["inferred", "served", "git"])
def test_curating_twice_changes_nothing(curated: Any, columns: Any, origin: Any) -> None:
    again = curate_schema(curated, origin, columns, columns, rules())
    # Compared as text, because NaN is not equal to itself.
    assert str(again) == str(curated)


def test_columns_are_sorted_like_those_of_the_files(columns: Any) -> None:
    schema = curate_schema(
        parse('feature { name: "zip.code" type: INT }'), "git", columns, {}, rules()
    )
    names = [feature.name for feature in schema.feature]
    assert names == sorted(names)


def test_rules_written_by_a_person_are_kept(columns: Any) -> None:
    written = parse(
        """
        feature { name: "fare (€)" type: FLOAT presence { min_fraction: 0.5 }
                  float_domain { min: 0 max: 100 } }
        feature { name: "pay/type" type: BYTES domain: "kinds" }
        feature { name: "y" type: BYTES string_domain { value: "yes" } presence { min_count: 7 } }
        string_domain { name: "kinds" value: "Cash" value: "Crypto" }
        """
    )
    schema = curate_schema(written, "git", columns, columns, rules(imported=True))
    fare = column(schema, "fare (€)")
    assert (fare.presence.min_fraction, fare.float_domain.max) == (0.5, 100)
    assert fare.float_domain.disallow_inf
    assert read_domain(schema, column(schema, "pay/type")) == ["Cash", "Crypto"]
    assert column(schema, "pay/type").distribution_constraints.min_domain_mass == 0.99
    assert column(schema, "y").presence.min_count == 7
    assert read_domain(schema, column(schema, "y")) == ["yes"]


def test_features_that_a_schema_in_git_lacks_are_added_from_the_data(columns: Any) -> None:
    written = parse('feature { name: "y" type: BYTES }')
    schema = curate_schema(written, "git", columns, columns, rules(imported=True))
    assert {f.name for f in schema.feature} == {*KINDS, "y"}
    assert column(schema, "zip.code").type == schema_pb2.INT
    assert column(schema, "fare (€)").presence.min_fraction == pytest.approx(0.65)


def test_the_served_data_and_not_the_new_data_decides_the_rules(curated: Any, columns: Any) -> None:
    new = TABLE.assign(**{"fare (€)": None, "pay/type": "Crypto", "extra": 1.0})
    schema = curate_schema(curated, "served", observed(new), columns, rules())
    assert column(schema, "fare (€)").presence.min_fraction == pytest.approx(0.65)
    assert read_domain(schema, column(schema, "pay/type")) == ["Card", "Cash"]
    assert "extra" not in {feature.name for feature in schema.feature}


def test_a_changed_setting_takes_effect_on_a_served_schema(curated: Any, columns: Any) -> None:
    changed = rules(
        new_category_share=0.2, missing_values_rise=0.3, kinds=KINDS | {"flag": "hashed"}
    )
    schema = curate_schema(curated, "served", columns, columns, changed)
    assert column(schema, "pay/type").distribution_constraints.min_domain_mass == 0.8
    assert column(schema, "fare (€)").presence.min_fraction == pytest.approx(0.45)
    assert read_domain(schema, column(schema, "flag")) is None


def test_a_missing_column_gets_a_representation_only_if_it_is_a_feature(
    curated: Any, columns: Any
) -> None:
    without = {n: c for n, c in columns.items() if n not in ("batch", "note")}
    schema = curate_schema(curated, "served", without, columns, rules())
    assert {"batch", "note"} <= {feature.name for feature in schema.feature}
    group = schema.tensor_representation_group[_GROUP].tensor_representation
    assert "note" in group
    assert "batch" not in group


def test_an_unknown_feature_is_refused_with_a_hint(columns: Any) -> None:
    wrong = rules(kinds={"fare (Euro)": "numeric"})
    with pytest.raises(ConfigError) as caught:
        curate_schema(inferred(TABLE), "inferred", columns, columns, wrong)
    assert str(caught.value).startswith("features.fare (Euro): ")
    assert caught.value.hint == "did you mean 'fare (€)'?"


def test_a_missing_label_is_refused_with_its_key(columns: Any) -> None:
    label = LabelConfig(column="Y.", task="binary", classes=("no", "yes"))
    with pytest.raises(ConfigError, match=r"^label\.column: "):
        curate_schema(inferred(TABLE), "inferred", columns, columns, rules(label=label))


def test_a_column_in_which_new_values_keep_coming_gets_no_domain() -> None:
    names = pd.DataFrame({"pay/type": [f"name {i}" for i in range(60)], "y": ["no", "yes"] * 30})
    schema = first_run(names, kinds={"pay/type": "categorical"})
    assert read_domain(schema, column(schema, "pay/type")) is None
