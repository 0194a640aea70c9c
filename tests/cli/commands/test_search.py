"""``doxel search``: files, formats, exit statuses, and messages about bad input."""

import sys

import pytest
from click.testing import CliRunner

from doxel.cli.main import cli, main
from doxel.documents.ingestion import ingest
from doxel.errors import DoxelError
from doxel.runs import read_run
from doxel.search import open_index
from search.zoo_collection import make_collection


def call(*arguments):
    return CliRunner().invoke(cli, ["search", *map(str, arguments)], standalone_mode=False)


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    """The index of a small collection."""
    return open_index(make_collection(tmp_path_factory.mktemp("zoo")))


@pytest.fixture
def fresh(tmp_path):
    """The folder of the small collection, without an index."""
    return make_collection(tmp_path)


@pytest.fixture
def ask(zoo, tmp_path):
    """A function that searches the small collection for topics, one per line."""

    def search_lines(*lines, options=()):
        topics = tmp_path / "topics.tsv"
        topics.write_text("".join(f"{number}\t{line}\n" for number, line in enumerate(lines, 1)), "utf-8")
        run = tmp_path / "out.xml"
        fixed = ["-c", zoo.collection.folder, "-t", topics, "-o", run, "--smallest", 1]
        return call(*fixed, *(() if "--task" in options else ("--task", "focused")), *options), run

    return search_lines


def test_the_run_has_an_id_a_task_and_a_description(ask):
    result, path = ask("duck", "flint")
    run = read_run(path)
    assert result.return_value == 0
    assert "results (focused) for 2 topics written to" in result.stderr
    assert (run.id, run.task, run.topics) == ("doxel-focused", "focused", ["1", "2"])
    assert "BM25" in run.about["description"]


def test_the_description_names_the_structure_if_queries_have_any(ask):
    assert "structure" not in read_run(ask("duck")[1]).about["description"]
    description = read_run(ask("//sec[about(., duck)]", options=["--structure", "SCAS"])[1]).about[
        "description"
    ]
    assert "structure target=strict,support=strict" in description


@pytest.mark.parametrize("layout", ["inex-xml", "paths", "fol", "trec", "jsonl"])
@pytest.mark.parametrize("task", ["focused", "relevant-in-context", "documents"])
def test_every_task_can_be_written_in_every_format(ask, task, layout):
    result, path = ask("duck pond", options=["--task", task, "--format", layout])
    run = read_run(path)
    assert result.return_value == 0
    assert run.format == layout
    assert run.results.height > 0


def test_best_in_context_writes_entry_points(ask):
    result, path = ask("duck pond", options=["--task", "best-in-context", "--format", "bep"])
    run = read_run(path)
    assert result.return_value == 0
    assert run.results["start"].null_count() == 0
    assert not run.results["doc"].is_duplicated().any()


def test_the_same_call_writes_the_same_bytes(ask):
    runs = [ask("duck pond", "old fish")[1].read_bytes() for _ in range(2)]
    assert runs[0] == runs[1]


def test_the_limit_is_the_number_of_results(ask):
    assert read_run(ask("duck pond", options=["--task", "thorough", "--limit", 3])[1]).results.height == 3


def test_relevant_in_context_is_in_reading_order(ask, zoo):
    run = read_run(ask("duck pond fish", options=["--task", "relevant-in-context"])[1])
    assert run.results["doc"].rle().struct.field("value").is_unique().all()
    for (doc,), rows in run.results.group_by("doc"):
        starts = [zoo.collection[doc].span(zoo.collection[doc].find(path))[0] for path in rows["path"]]
        assert starts == sorted(starts)


def test_an_unknown_tag_is_a_warning_with_similar_names(ask):
    result, _ = ask("//books[about(., duck)]", "//sec[about(.//stt, duck)]")
    assert result.return_value == 0
    assert "topic 1: the collection has no element 'books'; similar: book" in result.stderr
    assert "topic 1: nothing was found" in result.stderr
    assert "topic 2: the collection has no element 'stt'; similar: st" in result.stderr


def test_a_bad_query_is_reported_and_the_other_topics_are_searched(ask):
    result, path = ask("//sec[about(., duck)", "flint")
    assert result.return_value == 1
    assert "skipped:" in result.stderr
    assert "topics.tsv, line 1: the query of topic 1, character" in result.stderr
    assert read_run(path).topics == ["2"]


def test_a_topic_that_asks_for_attributes_is_left_out(ask):
    result, path = ask("//sec[about(., duck)]//@kind", "flint")
    assert result.return_value == 1
    assert "skipped: topic 1: a path through an attribute" in result.stderr
    assert read_run(path).topics == ["2"]


def test_brackets_in_a_title_are_ignored(ask):
    result, path = ask("flint (blades, fire", '"duck')
    assert result.return_value == 0
    assert "topic 1: brackets and single signs in its title are ignored" in result.stderr
    assert read_run(path).topics == ["1", "2"]


def test_a_query_of_stop_words_searches_for_them(ask):
    result, path = ask("the and of", "flint")
    assert result.return_value == 0
    assert "topic 1: its query has only stop words; searching for them" in result.stderr
    assert "1" in read_run(path).topics


def test_only_unwanted_words_find_nothing(ask):
    result, path = ask("-duck", "flint")
    assert "topic 1: nothing was found" in result.stderr
    assert read_run(path).topics == ["2"]


def test_a_topic_without_words_is_left_out(tmp_path, zoo):
    topics = tmp_path / "topics.jsonl"
    topics.write_text('{"id": "1", "text": "( , )"}\n{"id": "2", "text": "flint"}\n')
    run = tmp_path / "o.xml"
    result = call("-c", zoo.collection.folder, "-t", topics, "--task", "focused", "-o", run)
    assert result.return_value == 1
    assert "topics.jsonl, line 1: topic 1: wanted words to search for, found '( , )'" in result.stderr


def test_no_result_for_any_topic_is_an_error(ask):
    result, path = ask("zyzzyva")
    assert isinstance(result.exception, DoxelError)
    assert str(result.exception) == "nothing was found for any topic"
    assert not path.exists()


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("//books[about(., zyzzyva)]", "topic 1: the collection has no element 'books'; similar: book"),
        ("//sec[about(., duck)]//@kind", "topic 1: a path through an attribute"),
    ],
)
def test_the_first_problem_of_a_query_is_shown_if_nothing_was_found(ask, query, problem):
    result, _ = ask(query)
    assert str(result.exception).startswith(f"nothing was found for any topic; the first problem: {problem}")


def test_the_number_of_results_and_its_noun_agree(ask):
    result, path = ask("duck pond", options=["--task", "thorough", "--limit", 1])
    assert f"1 result (thorough) for 1 topic written to {path}" in result.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--structure", "loose"], "structure: wanted target=strict|vague"),
        (["--smallest", 0], "the smallest size: wanted a whole number from 1, found 0"),
        (["--limit", 0], "the limit: wanted a whole number from 1, found 0"),
        (["--size-prior", "nan"], "the size prior: wanted a number from -2 to 2, found nan"),
        (["--stem", "klingon"], "stemming: wanted one of none, arabic"),
        (["-c", "/nowhere"], "/nowhere: does not exist"),
    ],
)
def test_invalid_options_are_rejected(ask, options, sentence):
    result, path = ask("duck", options=options)
    assert isinstance(result.exception, DoxelError)
    assert sentence in str(result.exception)
    assert not path.exists()


def test_a_missing_index_is_built_unless_that_is_not_allowed(fresh, tmp_path):
    (tmp_path / "t.tsv").write_text("1\tduck\n")
    fixed = ["-c", fresh, "-t", tmp_path / "t.tsv", "--task", "focused", "-o", tmp_path / "o.xml"]
    result = call(*fixed, "--no-build")
    assert "has no search index yet, and building one is not allowed" in str(result.exception)
    assert "has no search index yet; built a new one in" in call(*fixed).stderr
    assert call(*fixed, "--no-build").return_value == 0


def test_without_the_engine_the_exit_status_is_2(fresh, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tantivy", None)
    (tmp_path / "t.tsv").write_text("1\tduck\n")
    with pytest.raises(SystemExit) as stopped:
        main(["search", "-c", str(fresh), "-t", str(tmp_path / "t.tsv"), "--task", "focused", "-o", "x"])
    assert stopped.value.code == 2
    assert 'pip install "doxel[search]"' in capsys.readouterr().err


def test_documents_of_all_kinds_are_searched(tmp_path):
    source = tmp_path / "mixed"
    source.mkdir()
    (source / "a.md").write_text(
        "# Lakes\n\nA lake is still water.\n\n## Rivers\n\nA river runs to the sea.\n"
    )
    (source / "b.html").write_text("<html><body><h1>Sea</h1><p>The sea is salt water.</p></body></html>")
    (source / "c.txt").write_text("Rain falls on the river.\n\nThen the sun comes out again.\n")
    ingest(str(source), str(tmp_path / "mixed.doxel"), jobs=1)
    (tmp_path / "t.tsv").write_text("1\triver sea\n2\t//p[about(., salt water)]\n")
    fixed = ["-c", tmp_path / "mixed.doxel", "-t", tmp_path / "t.tsv", "--task", "focused", "--smallest", 1]
    result = call(*fixed, "-o", tmp_path / "o.xml")
    run = read_run(tmp_path / "o.xml")
    assert result.return_value == 0
    assert set(run.results.filter(topic="1")["doc"]) == {"a", "b", "c"}
    assert run.results.filter(topic="2").row(0, named=True)["doc"] == "b"
    for doc, path in run.results.select("doc", "path").iter_rows():
        assert doc in {"a", "b", "c"}
        assert path.startswith("/")
