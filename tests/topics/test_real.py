"""The 115 real topics of INEX 2009, with their redeclared entities."""

import re

import pytest
from lxml import etree

from doxel.topics import read_topics
from doxel.topics.topic_files import TOPIC_FORMATS

EMPTY = re.compile(r"<phrasetitle\s*/>")


@pytest.fixture(scope="module")
def path(shared_data):
    return shared_data / "inex-adhoc-2009-2010" / "inex-2009-topics.xml"


def test_all_topics_are_read_with_all_fields(path):
    topics = read_topics(path)
    assert topics.ids == [str(number) for number in range(2009001, 2009116)]
    for field in ("title", "castitle", "description", "narrative", "ct_no"):
        assert topics.table[field].null_count() == 0
    assert topics.table["phrasetitle"].null_count() == len(EMPTY.findall(path.read_text())) == 17


def test_redeclared_entities_keep_their_meaning(path):
    """The file's internal DTD declares &amp; as the word 'ampersand'; in XML it is always &."""
    assert b'<!ENTITY  amp     "ampersand">' in path.read_bytes()
    narratives = read_topics(path).table["narrative"]
    assert narratives.str.contains("history of Java & on different versions", literal=True).sum() == 1
    assert not narratives.str.contains("ampersand", literal=True).any()


def test_castitles_agree_with_a_plain_reading_of_the_file(path):
    text = path.read_text().replace("\r\n", "\n")
    castitles = [part.split("</castitle>")[0].strip() for part in text.split("<castitle>")[1:]]
    plain = [etree.fromstring(f"<x>{castitle}</x>").text for castitle in castitles]
    assert read_topics(path).table["castitle"].to_list() == plain


@pytest.mark.parametrize("name", ["inex2009", "inex2005", "jsonl"])
def test_nothing_is_lost_in_writing(path, tmp_path, name):
    file_format = next(each for each in TOPIC_FORMATS if each.name == name)
    topics = read_topics(path)
    (tmp_path / "out").write_bytes(file_format.write(topics))
    assert file_format.losses(topics.tables) == []
    assert list(read_topics(tmp_path / "out")) == list(topics)
