"""The topics of the bundled campaign: complete, in the format of 2005, and with valid NEXI."""

import re
from importlib.resources import as_file, files

import pytest
from lxml import etree

from doxel.assessments import read_assessments
from doxel.topics import read_topics, write_topics

IDS = [str(number) for number in range(1, 19)]

# The grammar of NEXI as INEX used it from 2004 on.
TOKEN = re.compile(r'\s*(?://|<=|>=|[<>=]|[()\[\],|*@]|\.(?=//|\s*[,<>=])|[+-]?"[^"]*"|[^\s"()\[\],|]+)')


class Nexi:
    """A NEXI parser that accepts or rejects, and collects element names and language features."""

    def __init__(self, text):
        self.tokens = [match.group().strip() for match in TOKEN.finditer(text)]
        assert "".join("".join(self.tokens).split()) == "".join(text.split()), "characters outside all tokens"
        self.at = 0
        self.names, self.features = set(), set()

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        assert token is not None, "ends too early"
        assert wanted in {None, token}, f"wanted {wanted}, found {token}"
        self.at += 1
        return token

    def query(self):
        self.path()
        self.filter()
        while self.peek() == "//":
            self.path()
            if self.peek() == "[":
                self.filter()
                self.features.add("support")
        assert self.peek() is None, f"left over: {self.tokens[self.at :]}"
        return self

    def path(self):
        assert self.peek() == "//"
        while self.peek() == "//":
            self.take("//")
            if self.peek() == "(":
                self.alternatives()
            else:
                self.name()

    def alternatives(self):
        self.take("(")
        self.name()
        assert self.peek() == "|"
        while self.peek() == "|":
            self.take("|")
            self.name()
        self.take(")")
        self.features.add("alternatives")

    def name(self):
        name = self.take()
        assert name == "*" or re.fullmatch(r"[A-Za-z][\w-]*", name)
        if name != "*":
            self.names.add(name)

    def filter(self):
        self.take("[")
        self.clause()
        self.take("]")

    def clause(self):
        self.atom()
        while self.peek() in {"and", "or"}:
            self.features.add(self.take())
            self.atom()

    def atom(self):
        if self.peek() == "(":
            self.take("(")
            self.clause()
            self.take(")")
        elif self.peek() == "about":
            self.about()
        else:
            self.relative()
            assert self.take() in {"<", "<=", "=", ">", ">="}
            assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", self.take())
            self.features.add("arithmetic")

    def about(self):
        self.take("about")
        self.take("(")
        self.relative()
        self.take(",")
        words = []
        while self.peek() != ")":
            words.append(self.take())
        assert words
        self.features |= {"phrase" for word in words if '"' in word}
        self.features |= {word[0] for word in words if word[0] in "+-"}
        self.take(")")

    def relative(self):
        self.take(".")
        if self.peek() == "//":
            self.path()


@pytest.fixture(scope="module")
def topics():
    with as_file(files("doxel") / "data" / "demo" / "topics.xml") as path:
        return read_topics(path)


def test_there_are_eighteen_topics_of_three_kinds_in_the_format_of_2005(topics):
    assert topics.format == "inex2005"
    assert topics.ids == IDS
    assert topics.notes == ()
    kinds = [topic.kind for topic in topics]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"CO": 6, "CO+S": 8, "CAS": 4}


@pytest.mark.parametrize("number", IDS)
def test_every_narrative_states_what_is_relevant_and_what_is_not(topics, number):
    topic = topics[number]
    assert all((topic.title, topic.castitle, topic.description, topic.narrative, topic.keywords))
    assert "elevant" in topic.narrative
    assert re.search(r"\bnot\b|\bonly where\b", topic.narrative, re.IGNORECASE)
    assert len(topic.narrative.split()) > 40
    assert not topic.about


@pytest.mark.parametrize("number", IDS)
def test_every_castitle_is_nexi_over_the_elements_of_the_handbook(topics, number):
    parsed = Nexi(topics[number].castitle).query()
    assert parsed.names <= handbook_tags()
    if topics[number].kind == "CO":
        assert not parsed.names  # any element will do


def handbook_tags():
    with as_file(files("doxel") / "data" / "handbook") as folder:
        roots = [etree.parse(path).getroot() for path in folder.glob("*.xml")]
    return {node.tag for root in roots for node in root.iter(etree.Element)}


def test_the_castitles_use_all_features_of_nexi(topics):
    features = set().union(*(Nexi(topic.castitle).query().features for topic in topics))
    assert features == {"support", "alternatives", "and", "or", "arithmetic", "phrase", "+", "-"}


@pytest.mark.parametrize(
    "text",
    [
        "//section[about(., overlap]",
        "//section[about(overlap)]",
        "//section[about(., )]",
        "section[about(., overlap)]",
        "//section[about(., overlap)",
        "//section[.//cell 1]",
        "//(p)[about(., overlap)]",
        "//section[about(., a) xor about(., b)]",
    ],
)
def test_the_nexi_parser_rejects_invalid_queries(text):
    with pytest.raises(AssertionError):
        Nexi(text).query()


def test_assessed_topics_are_topics(topics):
    with as_file(files("doxel") / "data" / "demo" / "assessments" / "handbook.qrels") as path:
        assert set(read_assessments(path).topics) <= set(topics.ids)


def test_writing_and_reading_keeps_the_topics(topics, tmp_path):
    write_topics(topics, tmp_path / "again.xml", "inex2005")
    again = read_topics(tmp_path / "again.xml")
    assert list(again) == list(topics)
