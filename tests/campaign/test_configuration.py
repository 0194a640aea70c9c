"""The configuration of a campaign: created, read, and rejected with file and line if it is invalid."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from doxel.campaign import PoolSettings, configuration, create_campaign, read_campaign
from doxel.campaign.campaign import list_files
from doxel.campaign.configuration import CONFIGURATION_FILE, build_template
from doxel.campaign.configuration_keys import CONFIGURATION_KEYS
from doxel.errors import InputError


def configure(folder, text):
    (folder / CONFIGURATION_FILE).write_text(text, "utf-8")
    return read_campaign(folder)


def test_a_new_campaign_is_read_back_unchanged(tmp_path):
    spring = create_campaign(tmp_path / "spring", name='Spring "26"')
    assert (
        spring
        == read_campaign(tmp_path / "spring")
        == read_campaign(tmp_path / "spring" / CONFIGURATION_FILE)
    )
    assert spring.name == 'Spring "26"'
    assert spring.collection == tmp_path / "spring" / "collection.doxel"
    assert spring.pooling == PoolSettings(depth=10)
    assert (spring.selected, spring.assessed, spring.scoring) == ((), (), {})
    assert spring.measures == ("inex2009-focused",)


def test_every_part_has_a_folder_that_git_keeps(tmp_path):
    spring = create_campaign(tmp_path / "spring")
    for folder in (*spring.sources, *spring.candidate, *spring.runs, spring.pool.parent, *spring.assessments):
        assert folder.is_dir()
        assert list(folder.iterdir()), folder
    # the placeholder files are not read as runs, topics or assessments
    assert (
        spring.run_files == spring.topic_files == spring.assessment_files == list_files(spring.sources) == []
    )


def test_the_template_explains_every_key_with_a_valid_example(tmp_path):
    lines = build_template("x").split("\n")
    for key in CONFIGURATION_KEYS:
        (place,) = [
            number
            for number, line in enumerate(lines)
            if line.removeprefix("# ").startswith(f"{key.name} = ") and _section(lines, number) == key.section
        ]
        assert lines[place - 1].startswith("# ")
    # with all comments removed it is still valid
    uncommented = "\n".join(
        line.removeprefix("# ") if any(f"# {key.name} = " in line for key in CONFIGURATION_KEYS) else line
        for line in lines
    )
    assert uncommented != build_template("x")
    campaign = configure(tmp_path, uncommented)
    assert campaign.pooling.documents == 100
    assert campaign.scoring["task"] == "focused"
    assert campaign.selected == ("1", "2")


def _section(lines, number):
    headers = [line.strip("[]") for line in lines[:number] if line.startswith("[")]
    return headers[-1] if headers else ""


def test_the_template_writes_the_defaults(tmp_path):
    empty = configure(tmp_path, "")
    assert empty.name == tmp_path.name
    data = tomllib.loads(build_template("x"))
    for key in CONFIGURATION_KEYS:
        if key.active and key.name not in {"name", "depth", "measures"}:
            value = data[key.section][key.name]
            assert key.default == (tuple(value) if isinstance(value, list) else value), key


def test_a_folder_with_a_campaign_is_rejected(tmp_path):
    create_campaign(tmp_path)
    before = (tmp_path / CONFIGURATION_FILE).read_text("utf-8")
    with pytest.raises(InputError, match="already contains a campaign"):
        create_campaign(tmp_path, name="another")
    assert (tmp_path / CONFIGURATION_FILE).read_text("utf-8") == before


def test_existing_files_are_left_unchanged(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / ".gitkeep").write_text("mine")
    create_campaign(tmp_path)
    assert (tmp_path / "runs" / ".gitkeep").read_text() == "mine"


def test_an_interrupted_campaign_does_not_appear(tmp_path, monkeypatch):
    def interrupt(path, data, write=configuration.write_file):
        if path.name == "campaign.toml":
            raise KeyboardInterrupt
        write(path, data)

    monkeypatch.setattr(configuration, "write_file", interrupt)
    with pytest.raises(KeyboardInterrupt):
        create_campaign(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_paths_are_relative_to_the_configuration(tmp_path, monkeypatch):
    create_campaign(tmp_path / "spring")
    monkeypatch.chdir(tmp_path)
    assert read_campaign("spring").pool == Path("spring/pools/pool.jsonl")
    monkeypatch.chdir(tmp_path / "spring")
    assert read_campaign(".").pool == Path("pools/pool.jsonl")


def test_a_folder_without_a_campaign_is_rejected(tmp_path):
    with pytest.raises(InputError, match=r"not a campaign: wanted a folder with campaign\.toml"):
        read_campaign(tmp_path)
    with pytest.raises(InputError, match="found nothing"):
        read_campaign(tmp_path / "nowhere")
