"""The bundled campaign: its files, the properties of its runs, and its topics."""

import re
from collections import Counter
from importlib.resources import as_file, files
from itertools import pairwise

import polars as pl
import pytest
from lxml import etree

from doxel.assessments import read_assessments
from doxel.campaign import write_demo
from doxel.documents import read_collection
from doxel.evaluation import evaluate
from doxel.runs import read_run
from doxel.runs.result_spans import resolve_run
from doxel.topics import read_topics, write_topics

# file -> format, declared task, most results per topic
RUNS = {
    "article-start.xml": ("inex-xml", "best-in-context", 30),
    "bm25-articles.run": ("trec", None, 40),
    "bm25-context.xml": ("inex-xml", "relevant-in-context", 100),
    "bm25-elements.xml": ("inex-xml", "thorough", 100),
    "bm25-entry.run": ("bep", None, 30),
    "bm25-focused.xml": ("inex-xml", "focused", 60),
    "bm25-sections.xml": ("inex-xml", "thorough", 100),
    "focused-invalid.xml": ("inex-xml", "focused", 31),
    "lm-focused.run": ("fol", None, 60),
    "tfidf-leaves.run": ("paths", None, 100),
    "windows-disjoint.run": ("fol", None, 60),
    "windows-overlapping.jsonl": ("jsonl", None, 60),
}
WITHOUT_OVERLAP = (
    *("bm25-articles.run", "bm25-context.xml", "bm25-focused.xml"),
    *("lm-focused.run", "tfidf-leaves.run", "windows-disjoint.run"),
)
WITH_OVERLAP = ("bm25-elements.xml", "bm25-sections.xml", "focused-invalid.xml", "windows-overlapping.jsonl")


@pytest.fixture(scope="module")
def resolved(demo):
    collection = read_collection(demo.collection)
    return {path.name: resolve_run(read_run(path), collection) for path in demo.runs}


def overlaps(results):
    """Count the pairs of neighbouring results that share text, one pair after another."""
    count = 0
    for _, group in results.group_by("topic", "doc"):
        spans = sorted(group.filter(pl.col("start").is_not_null()).select("start", "end").rows())
        count += sum(second[0] < first[1] for first, second in pairwise(spans))
    return count


def test_the_demo_has_all_its_runs(demo):
    assert [path.name for path in demo.runs] == sorted(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_read_in_its_format(demo, name):
    run = read_run(demo.collection.parent / "runs" / name)
    most = run.results.group_by("topic").len()["len"].max()
    assert (run.format, run.task, most) == RUNS[name]
    assert run.id == name.split(".")[0]
    assert run.notes == ()
    assert run.topics == [str(number) for number in range(1, 19)]


@pytest.mark.parametrize("name", sorted(set(RUNS) - {"focused-invalid.xml"}))
def test_every_result_is_found_in_the_handbook(resolved, name):
    assert resolved[name]["problem"].null_count() == resolved[name].height


def test_the_invalid_run_has_one_unknown_path_per_topic(resolved):
    problems = resolved["focused-invalid.xml"].filter(pl.col("problem").is_not_null())
    assert problems["problem"].to_list() == ["unknown path"] * 18
    assert problems["topic"].n_unique() == 18


@pytest.mark.parametrize("name", WITHOUT_OVERLAP)
def test_runs_without_overlap_return_no_text_twice(resolved, name):
    assert overlaps(resolved[name]) == 0


@pytest.mark.parametrize("name", WITH_OVERLAP)
def test_runs_with_overlap_return_text_more_than_once(resolved, name):
    assert overlaps(resolved[name]) > 100


def test_articles_are_grouped_in_the_run_in_context(resolved):
    results = resolved["bm25-context.xml"].select("topic", "doc").rows()
    blocks = [first for first, second in pairwise([*results, (None, None)]) if first != second]
    assert len(blocks) == len(set(blocks)) > 300


@pytest.mark.parametrize("name", ["bm25-entry.run", "article-start.xml"])
def test_an_article_is_entered_once(resolved, name):
    results = resolved[name]
    assert not results.select("topic", "doc").is_duplicated().any()
    assert (results["start"] == results["end"]).all()


def test_sliding_windows_have_two_hundred_words_and_share_half_of_them(demo):
    collection = read_collection(demo.collection)
    text = collection["pooling"].text
    run = read_run(demo.collection.parent / "runs" / "windows-overlapping.jsonl")
    spans = sorted(set(run.results.filter(doc="pooling").select("start", "end").rows()))
    words = [len(text[start:end].split()) for start, end in spans]
    assert set(words[:-1]) == {200}
    assert words[-1] <= 200
    first, second = spans[0], next(span for span in spans if span[0] > spans[0][0])
    assert len(text[second[0] : first[1]].split()) == 100


def first_documents(run, topic, count):
    return list(dict.fromkeys(run.results.filter(topic=topic)["doc"]))[:count]


def test_documents_that_many_runs_rank_high_were_judged(demo):
    """The pool described in tools/demo_data/README.md: first ten documents of at least four valid runs."""
    runs = [read_run(path) for path in demo.runs if path.name != "focused-invalid.xml"]
    unjudged = 0
    assessments = read_assessments(demo.assessments["qrels"])
    for topic in assessments.topics:
        judged = set(assessments.judged.filter(topic=topic)["doc"])
        counts = Counter(doc for run in runs for doc in first_documents(run, topic, 10))
        assert [doc for doc, count in counts.items() if count >= 4 and doc not in judged] == []
        unjudged += len(set(counts) - judged)
    assert unjudged > 10  # some documents stay unjudged, as in every pool


def test_systems_rank_in_the_expected_order(demo):
    runs = [path for path in demo.runs if path.name != "focused-invalid.xml"]
    result = evaluate(runs, demo.assessments["qrels"], ["MAiP"], collection=demo.collection, task="thorough")
    score = dict(result.means.select("run", "score").iter_rows())
    # Elements of all sizes beat sections, sections beat fixed windows, and these beat whole articles.
    assert score["bm25-focused"] > score["bm25-sections"] > score["windows-overlapping"]
    assert score["windows-overlapping"] > score["bm25-articles"] > 0


def test_looking_for_an_entry_point_beats_starting_at_the_top(demo):
    runs = [path for path in demo.runs if path.name in {"bm25-entry.run", "article-start.xml"}]
    measure = 'MAgP(score="bep", n=500)'
    result = evaluate(runs, demo.assessments["qrels"], [measure], collection=demo.collection)
    score = dict(result.means.select("run", "score").iter_rows())
    assert score["bm25-entry"] > 5 * score["article-start"] > 0


def test_measures_that_forbid_overlap_reject_the_invalid_run(demo):
    invalid = next(path for path in demo.runs if path.name == "focused-invalid.xml")
    result = evaluate([invalid], demo.assessments["qrels"], ["MAiP"], collection=demo.collection)
    assert [(rejection.run, rejection.measure) for rejection in result.rejected] == [
        ("focused-invalid", "MAiP")
    ]
    assert "overlap" in result.rejected[0].reason


def test_every_path_of_the_demo_exists(demo):
    paths = (demo.handbook, demo.collection, demo.topics, demo.markdown, demo.markdown_gold)
    for path in (*paths, *demo.runs, *demo.assessments.values()):
        assert path.exists(), path


def test_an_older_demo_in_the_same_folder_is_replaced(demo, tmp_path):
    stale = tmp_path / "assessments" / "inex2006" / "done" / "topic-99" / "pool-99.xml"
    stale.parent.mkdir(parents=True)
    stale.write_text("<assessments/>")
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook" / "gone.xml").write_text("<article/>")
    again = write_demo(tmp_path)
    assert not stale.exists()
    assert again.ingested.documents == demo.ingested.documents == 48
    assert write_demo(tmp_path).ingested.documents == 48


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
