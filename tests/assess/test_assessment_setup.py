"""The setup of an assessment, as its campaign and the options name it."""

import json

from doxel.assess.assessment_setup import read_setup


def write(folder, data):
    path = folder / "styles.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_a_campaign_can_have_its_own_styles(tmp_path):
    (tmp_path / "campaign.toml").write_text('name = "spring"\n')
    assert read_setup(str(tmp_path)).styles is None
    path = write(tmp_path, {"tags": {"dish": "heading"}})
    assert read_setup(str(tmp_path)).styles == path
    assert read_setup(str(tmp_path)).read_styles().tags["dish"] == "heading"
    other = write(tmp_path / "..", {"tags": {}})
    assert read_setup(str(tmp_path), styles=str(other)).styles == other
