"""The keys of a configuration: invalid values are rejected with file and line."""

from __future__ import annotations

import pytest

from doxel.campaign import read_campaign
from doxel.campaign.configuration import CONFIGURATION_FILE
from doxel.campaign.configuration_keys import CONFIGURATION_KEYS, CONFIGURATION_SECTIONS
from doxel.errors import InputError


def configure(folder, text):
    (folder / CONFIGURATION_FILE).write_text(text, "utf-8")
    return read_campaign(folder)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name = \n", 1, "not a configuration: wanted TOML, found invalid value"),
        ("[topics\n", 1, "wanted TOML"),
        ('\nname = "a"\nname = "b"\n', 3, "wanted TOML, found cannot overwrite a value"),
        ("title = 'x'\n", 1, r"unknown key: wanted one of name, \[collection\], .*found 'title'"),
        ("[topic]\ncandidate = 'x'\n", 1, "found 'topic'; did you mean topics?"),
        (
            "[topics]\nfiles = 'x'\n",
            2,
            r"unknown key in \[topics\]: wanted one of candidate, selected, asses",
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
        ("[runs]\nfiles = ['a', '" + "x" * 300 + "']\n", 2, "wanted a valid path"),
        ("[runs]\nfiles = '" + "a*/" * 300 + "'\n", 2, "wanted a valid path"),
        ('[collection]\nfolder = "a\\u0000b"\n', 2, "wanted a valid path"),
        ("[pool]\ncount = 'pages'\n", 2, "wanted documents or results, found 'pages'"),
        ("[topics]\nselected = '1'\n", 2, "wanted a list of topic ids"),
        ("[topics]\nselected = [1, '1']\n", 2, "wanted each topic only once"),
        ("[topics]\nselected = [1]\nassessed = [1, 2]\n", 3, "wanted topics that are also selected, found 2"),
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
def test_an_error_names_file_and_line(tmp_path, text, line, message):
    with pytest.raises(InputError, match=message) as caught:
        configure(tmp_path, text)
    assert caught.value.file == str(tmp_path / CONFIGURATION_FILE)
    assert caught.value.line == line


def test_every_section_has_a_key():
    assert {key.section for key in CONFIGURATION_KEYS} == set(CONFIGURATION_SECTIONS)
