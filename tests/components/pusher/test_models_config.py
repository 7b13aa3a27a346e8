"""TensorFlow Serving finds the served version in models.config."""

from pathlib import Path

from components.pusher.models_config import update_models_config, write_models_config

OTHERS = """\
model_config_list {
  config { name: 'trips' base_path: '/mnt/models'  # ours
    model_version_policy: { specific: { versions: 3 } } }
}
"""


def test_a_new_file_names_model_and_version_and_later_only_the_version_changes(
    tmp_path: Path,
) -> None:
    update_models_config(str(tmp_path), "1")
    path = tmp_path / "models.config"
    assert not path.exists()
    write_models_config(str(tmp_path), "1", "shop")
    first = path.read_text()
    assert 'base_path: "/models/shop"' in first
    write_models_config(str(tmp_path), "22", "other")
    assert path.read_text() == first.replace("versions: 1 ", "versions: 22 ")


def test_what_a_person_wrote_stays(tmp_path: Path) -> None:
    path = tmp_path / "models.config"
    path.write_text(OTHERS)
    update_models_config(str(tmp_path), "22")
    assert path.read_text() == OTHERS.replace("versions: 3", "versions: 22")
    own = "model_config_list { config { model_version_policy { all {} } } }"
    path.write_text(own)
    write_models_config(str(tmp_path), "23", "shop")
    assert path.read_text() == own


def test_tensorflow_serving_would_read_the_file(tmp_path: Path) -> None:
    """Braces are balanced and every field is one of TensorFlow Serving's model_server_config."""
    write_models_config(str(tmp_path), "7", "shop")
    lines = (tmp_path / "models.config").read_text().splitlines()
    words = " ".join(line for line in lines if not line.startswith("#")).split()
    assert (
        words
        == (
            'model_config_list { config { name: "shop" base_path: "/models/shop" '
            'model_platform: "tensorflow" model_version_policy { specific { versions: 7 } } } }'
        ).split()
    )
