"""The configuration of a campaign: laid out, read, and refused with file and line when it is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from doxel.campaign import PoolSettings, init_campaign, read_campaign
from doxel.campaign.campaign import files_in
from doxel.campaign.configuration import FILE
from doxel.campaign.keys import KEYS, SECTIONS
from doxel.campaign.template import template
from doxel.errors import CollectionError, InputError


def written(folder, text):
    (folder / FILE).write_text(text, "utf-8")
    return read_campaign(folder)


def test_a_new_campaign_reads_as_it_was_laid_out(tmp_path):
    made = init_campaign(tmp_path / "spring", name='Spring "26"')
    assert made == read_campaign(tmp_path / "spring") == read_campaign(tmp_path / "spring" / FILE)
    assert made.name == 'Spring "26"'
    assert made.collection == tmp_path / "spring" / "collection.doxel"
    assert made.pooling == PoolSettings(depth=10)
    assert (made.selected, made.assessed, made.scoring) == ((), (), {})
    assert made.measures == ("inex2009-focused",)


def test_every_part_has_a_folder_that_version_control_keeps(tmp_path):
    made = init_campaign(tmp_path / "spring")
    for folder in (*made.sources, *made.candidate, *made.runs, made.pool.parent, *made.assessments):
        assert folder.is_dir()
        assert list(folder.iterdir()), folder
    # and none of what explains the folders is taken for what belongs there
    assert made.run_files == made.topic_files == made.assessment_files == files_in(made.sources) == []


def test_the_template_explains_every_key_and_all_its_examples_are_good(tmp_path):
    lines = template("x").split("\n")
    for key in KEYS:
        (place,) = [
            number
            for number, line in enumerate(lines)
            if line.removeprefix("# ").startswith(f"{key.name} = ") and _section(lines, number) == key.section
        ]
        assert lines[place - 1].startswith("# ")
    # uncommented, everything is still a configuration
    uncommented = "\n".join(
        line.removeprefix("# ") if any(f"# {key.name} = " in line for key in KEYS) else line for line in lines
    )
    assert uncommented != template("x")
    campaign = written(tmp_path, uncommented)
    assert campaign.pooling.documents == 100
    assert campaign.scoring["task"] == "focused"
    assert campaign.selected == ("1", "2")


def _section(lines, number):
    headers = [line.strip("[]") for line in lines[:number] if line.startswith("[")]
    return headers[-1] if headers else ""


def test_defaults_are_what_the_template_writes(tmp_path):
    empty = written(tmp_path, "")
    assert empty.name == tmp_path.name
    data = tomllib.loads(template("x"))
    for key in KEYS:
        if key.active and key.name not in {"name", "depth", "measures"}:
            given = data[key.section][key.name]
            assert key.default == (tuple(given) if isinstance(given, list) else given), key


def test_a_folder_with_a_campaign_is_refused(tmp_path):
    init_campaign(tmp_path)
    before = (tmp_path / FILE).read_text("utf-8")
    with pytest.raises(InputError, match="a campaign is there already"):
        init_campaign(tmp_path, name="another")
    assert (tmp_path / FILE).read_text("utf-8") == before


def test_what_is_there_is_left_alone(tmp_path):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / ".gitkeep").write_text("mine")
    init_campaign(tmp_path)
    assert (tmp_path / "runs" / ".gitkeep").read_text() == "mine"


def test_paths_are_relative_to_the_configuration(tmp_path, monkeypatch):
    init_campaign(tmp_path / "spring")
    monkeypatch.chdir(tmp_path)
    assert read_campaign("spring").pool == Path("spring/pools/pool.jsonl")
    monkeypatch.chdir(tmp_path / "spring")
    assert read_campaign(".").pool == Path("pools/pool.jsonl")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name = \n", 1, "not a configuration: wanted TOML, found invalid value"),
        ("[topics\n", 1, "wanted TOML"),
        ('\nname = "a"\nname = "b"\n', 3, "wanted TOML, found cannot overwrite a value"),
        ("title = 'x'\n", 1, r"an unknown key: wanted one of name, \[collection\], .*found 'title'"),
        ("[topic]\ncandidate = 'x'\n", 1, "found 'topic'; did you mean topics?"),
        (
            "[topics]\nfiles = 'x'\n",
            2,
            r"an unknown key of \[topics\]: wanted one of candidate, selected, asses",
        ),
        (
            "[runs]\n# files = 3\n\nfiles = 3\n",
            4,
            r"files of \[runs\]: wanted a string, or a list of strings",
        ),
        ("[runs]\nfiles = ['a', '']\n", 2, r"found \['a', ''\]"),
        ("[pool]\ndepth = 0\n", 2, r"depth of \[pool\]: wanted a whole number from 1, found 0"),
        ("[pool]\ndepth = true\n", 2, "wanted a whole number from 1, found True"),
        ("[pool]\nseed = 1000000000000\n", 2, "wanted a whole number from 0"),
        ("[pool]\ndepth = " + "9" * 5000, None, "not a configuration: wanted TOML, found Exceeds the limit"),
        ("[runs]\nfiles = " + "[" * 5000, None, "not a configuration: wanted TOML"),
        ("[runs]\nfiles = ['a', '" + "x" * 300 + "']\n", 2, "wanted a path that can be one"),
        ("[runs]\nfiles = '" + "a*/" * 300 + "'\n", 2, "wanted a path that can be one"),
        ('[collection]\nfolder = "a\\u0000b"\n', 2, "wanted a path that can be one"),
        ("[pool]\ncount = 'pages'\n", 2, "wanted documents or results, found 'pages'"),
        ("[topics]\nselected = '1'\n", 2, "wanted a list of topic ids"),
        ("[topics]\nselected = [1, '1']\n", 2, "wanted each topic once"),
        ("[topics]\nselected = [1]\nassessed = [1, 2]\n", 3, "wanted topics that are selected too, found 2"),
        ("[collection]\nfingerprint = 'abc'\n", 2, "wanted a fingerprint"),
        ("[evaluation]\nmeasures = ['nonsense']\n", 2, r"measures of \[evaluation\]: wanted .*nonsense"),
        ("[evaluation]\ntask = 'fast'\n", 2, r"task of \[evaluation\]: wanted thorough or focused"),
        ("[evaluation]\norder = 'up'\n", 2, "wanted rank or file or score, found 'up'"),
        ("[evaluation]\nlimit = 0\n", 2, r"limit of \[evaluation\]: wanted"),
        ("[evaluation]\nstructure = 'target=maybe'\n", 2, r"structure of \[evaluation\]: wanted"),
        ("[evaluation]\nfol_end = 1\n", 2, "wanted true or false, found 1"),
        ("pool = 3\n", 1, r"pool: wanted a section \[pool\], found 3"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=message) as caught:
        written(tmp_path, text)
    assert caught.value.file == str(tmp_path / FILE)
    assert caught.value.line == line


def test_every_section_can_be_told_from_a_wrong_one():
    assert {key.section for key in KEYS} == set(SECTIONS)


def test_where_there_is_no_campaign(tmp_path):
    with pytest.raises(InputError, match=r"no campaign: wanted a folder with campaign\.toml"):
        read_campaign(tmp_path)
    with pytest.raises(InputError, match="found nothing"):
        read_campaign(tmp_path / "nowhere")


def test_files_of_folders_and_patterns(tmp_path):
    for name in ("b.run", "a.run", "c.xml", "README.md", ".hidden", "deep/d.run"):
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    runs = tmp_path / "runs"
    assert files_in([runs]) == [runs / "a.run", runs / "b.run", runs / "c.xml", runs / "deep" / "d.run"]
    assert files_in([runs / "*.run"]) == [runs / "a.run", runs / "b.run"]
    assert files_in([runs / "c.xml", runs / "*.xml", tmp_path / "not there"]) == [runs / "c.xml"]


def test_parts_that_are_not_there_yet_are_said_so(tmp_path):
    made = init_campaign(tmp_path)
    with pytest.raises(
        InputError, match=r"the campaign has no topics yet: wanted files in .*topics, found none"
    ):
        made.read_topics()
    with pytest.raises(InputError, match="the campaign has no assessments yet"):
        made.read_assessments()
    with pytest.raises(CollectionError, match="does not exist"):
        made.read_collection()
