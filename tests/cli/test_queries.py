"""``doxel nexi``, ``doxel topics``, and ``--structure`` where runs are checked and scored."""

import json

import pytest

from documents.commands import doxel, is_sentence, write_files
from doxel.documents.ingestion import ingest

TOPICS = """<inex_topics>
<inex_topic topic_id="1" query_type="CAS">
 <title>x</title><castitle>//article[.//yr &gt; 1998]//sec[about(., x)]</castitle></inex_topic>
<inex_topic topic_id="2" query_type="CO+S">
 <title>y</title><castitle>//*[about(.//p, "y z" -x)]</castitle></inex_topic>
<inex_topic topic_id="3" query_type="CO"><title>z</title></inex_topic>
</inex_topics>
"""
SOURCE = "<article><fm><yr>1999</yr></fm><sec><p>abc</p></sec><sec><p>def</p></sec></article>"
SEC1, P1 = "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = write_files(
        tmp_path_factory.mktemp("queries"),
        {
            "s/a.xml": SOURCE,
            "topics.xml": TOPICS,
            "gold.jsonl": '{"topic": "1", "doc": "a", "start": 4, "end": 7}\n',
            "a.run": f"1 Q0 a 1 0.9 a {P1}\n1 Q0 a 2 0.8 a {SEC1}\n",
            "b.run": f"1 Q0 a 1 0.9 b {SEC1}\n",
        },
    )
    ingest(folder / "s", folder / "c.doxel")
    return folder


def test_a_query_is_explained():
    outcome = doxel("nexi", "//article[.//yr>='1998']//sec[about(.//p, +a -b)]", "-f", "json")
    assert outcome.status == 0
    payload = json.loads(outcome.out)
    assert payload["canonical"] == "//article[.//yr >= 1998]//sec[about(.//p, +a -b)]"
    assert payload["target"] == "any sec inside an article"
    assert payload["conditions"] == [
        "the article: a yr inside it is at least 1998",
        "the sec: a p inside it is about a (important), but not b",
    ]
    assert (payload["important"], payload["unwanted"], payload["tags"]) == (
        ["a"],
        ["b"],
        ["article", "yr", "sec", "p"],
    )
    assert all(is_sentence(entry) for entry in outcome.messages)
    assert "dialect of 2003" in outcome.err


def test_the_table_contains_the_same():
    outcome = doxel("nexi", '+graph "random walk" -tree')
    rows = dict(line.strip().split(maxsplit=1) for line in outcome.out.splitlines() if line.strip(" ─"))
    assert rows["canonical"].strip() == '+graph "random walk" -tree'
    assert rows["unwanted"].strip() == "tree"
    assert rows["kind"].strip() == "content only"


def test_unknown_tags_are_reported(files):
    outcome = doxel("nexi", "//section[about(.//P, x) and about(.//zzz, y)]", "-c", files / "c.doxel")
    assert outcome.status == 0
    assert outcome.messages == [
        "doxel: the collection has no element 'section'; similar: sec",
        "doxel: the collection has no element 'P'; similar: p",
        "doxel: the collection has no element 'zzz'",
    ]


def test_an_invalid_query_is_reported_with_its_position():
    outcome = doxel("nexi", "//sec[about(., x]")
    assert (outcome.status, outcome.out) == (2, "")
    sentence, query, mark = outcome.err.splitlines()
    assert is_sentence(sentence)
    assert "character 17" in sentence
    assert query[mark.index("^")] == "]"


@pytest.mark.parametrize("query", ["", "   ", "//a[" + "(" * 5000, "\N{GRINNING FACE}[", "//a[.//b < ]"])
def test_hostile_queries_are_rejected(query):
    outcome = doxel("nexi", query)
    assert (outcome.status, outcome.out) == (2, "")
    assert is_sentence(outcome.messages[0])


def test_topics_are_counted(files):
    outcome = doxel("topics", files / "topics.xml", "-f", "json", "-c", files / "c.doxel")
    payload = json.loads(outcome.out)
    assert outcome.status == 0
    assert payload["topics"] == 3
    assert payload["kinds"] == {"CAS": 1, "CO+S": 1, "CO": 1}
    assert payload["fields"] == {"title": 3, "castitle": 2}
    assert payload["targets"] == {"//article//sec": 1, "//*": 1}
    assert payload["structure"]["support"] == 2
    assert (
        payload["structure"]["comparisons"]
        == payload["structure"]["phrases"]
        == payload["structure"]["a named target"]
        == 1
    )
    assert payload["structure"]["attributes"] == 0
    assert payload["unknown_tags"] == {}


def test_topics_are_shown_as_tables(files):
    outcome = doxel("topics", files / "topics.xml")
    assert outcome.status == 0
    for title in ("inex2005", "Types", "Fields", "Queries with structure", "Elements to return"):
        assert title in outcome.out


def test_errors_in_queries_name_the_topic(tmp_path):
    path = write_files(tmp_path, {"t.xml": TOPICS.replace("about(., x)]", "about(., x]")}) / "t.xml"
    outcome = doxel("topics", path)
    assert outcome.status == 1
    assert outcome.messages[0].startswith(
        f"doxel: {path}, line 2: the query of topic 1, character 40: wanted"
    )
    payload = json.loads(doxel("topics", path, "-f", "json").out)
    assert [(entry["problem"], entry["position"]) for entry in payload["errors"]] == [
        ("the query of topic 1", 39)
    ]


def options(files):
    return ("-a", files / "gold.jsonl", "-c", files / "c.doxel", "-t", files / "topics.xml")


def test_evaluate_ignores_results_off_target(files):
    """The p at rank 1 of a is off target; its text is seen there, so the sec has nothing new."""
    measure = 'nxCG(task="thorough")@1'
    outcome = doxel(
        "evaluate", *options(files), "--structure", "SCAS", "-m", measure, files / "a.run", files / "b.run"
    )
    assert outcome.status == 0
    assert [line.split("\t")[3] for line in outcome.out.splitlines()[1:]] == ["0.0", "1.0"]
    assert "a: 1 result in a judged document is off target" in outcome.err


def test_evaluate_records_the_structure(files):
    outcome = doxel(
        "evaluate",
        *options(files),
        "--structure",
        "target=strict",
        "-m",
        "char_rec",
        "-f",
        "json",
        files / "a.run",
    )
    assert json.loads(outcome.out)["parameters"]["structure"] == "target=strict,support=vague"


def test_the_recall_base_has_only_elements_on_target(files):
    outcome = doxel("recallbase", *options(files), "--structure", "target=strict,support=strict")
    assert [line.split("\t")[2] for line in outcome.out.splitlines()] == ["path", SEC1]


def test_compare_accepts_structure(files):
    measure = 'nxCG(task="thorough")@1'
    outcome = doxel(
        "compare",
        *options(files),
        "--structure",
        "SVCAS",
        "-m",
        measure,
        "-f",
        "json",
        files / "a.run",
        files / "b.run",
    )
    means = json.loads(outcome.out)[0]["means"]
    assert [row["score"] if "score" in row else row["mean"] for row in means] == [0.0, 1.0]


@pytest.mark.parametrize("command", ["check", "evaluate", "recallbase"])
def test_structure_needs_topics(files, command):
    arguments = ["-a", files / "gold.jsonl", "-c", files / "c.doxel", "--structure", "target=strict"]
    runs = [] if command == "recallbase" else [files / "a.run"]
    outcome = doxel(command, *arguments, *runs)
    assert (outcome.status, outcome.out) == (2, "")
    assert "wanted topics (-t)" in outcome.err


def test_an_invalid_structure_is_rejected(files):
    outcome = doxel("check", *options(files), "--structure", "target=strickt", files / "a.run")
    assert outcome.status == 2
    assert "wanted strict or vague, found 'strickt'" in outcome.err


def test_check_compares_paths_without_a_collection(files):
    outcome = doxel(
        "check", "-t", files / "topics.xml", "--structure", "target=strict", "-f", "json", files / "a.run"
    )
    findings = {entry["code"]: entry for entry in json.loads(outcome.out)["findings"]}
    assert [place["line"] for place in findings["R206"]["places"]] == [1]
    strict = doxel("check", "-t", files / "topics.xml", "--structure", "SCAS", files / "a.run")
    assert (strict.status, "a collection (-c)" in strict.err) == (2, True)
