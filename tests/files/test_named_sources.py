"""Data sets of ir_datasets, from a stand-in for the library and from the library itself; databases."""

import sqlite3
import sys
from collections import namedtuple
from contextlib import closing
from types import ModuleType, SimpleNamespace

import pytest

from doxel import evaluate, ingest, read_assessments, read_collection, read_topics
from doxel.errors import InputError, MissingExtraError
from doxel.files import named_sources
from doxel.files.named_sources import is_site_database, load_site_function, split_sources

Query = namedtuple("Query", ["query_id", "title", "description", "narrative", "extra"])  # noqa: PYI024
Text = namedtuple("Text", ["query_id", "text"])  # noqa: PYI024
Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])  # noqa: PYI024


class Doc(namedtuple("Doc", ["doc_id", "title", "text"])):  # noqa: PYI024, SLOT002 -- as the library's
    def default_text(self):
        return f"{self.title} {self.text}"


class FakeDataset:
    def __init__(self, **parts):
        for part in ("queries", "qrels", "docs"):
            rows = parts.get(part)
            setattr(self, f"has_{part}", lambda rows=rows: rows is not None)
            setattr(self, f"{part}_iter", lambda rows=rows: rows() if callable(rows) else iter(rows))


def fail():
    raise RuntimeError("connection refused\nby the server")


REGISTERED = {
    "small": FakeDataset(
        queries=[Query("1", "gates", "Is a gate open?", "", ["x"]), Query("2", "lamps", "", "", None)],
        qrels=[Qrel("1", "a", 1, "0"), Qrel("2", "b", 0, "0"), Qrel("2", "a", 2, "0")],
        docs=[Doc("a", "Gates", "The gate is open."), Doc("b", "Lamps", "The lamp is red.")],
    ),
    "plain": FakeDataset(queries=[Text("7", "gates")]),
    "absent": FakeDataset(docs=fail, qrels=fail),
}


@pytest.fixture
def _library(monkeypatch):
    library = ModuleType("ir_datasets")
    library.load = REGISTERED.__getitem__
    library.registry = SimpleNamespace(_registered=REGISTERED)
    monkeypatch.setitem(sys.modules, "ir_datasets", library)


@pytest.mark.usefixtures("_library")
class TestNames:
    def test_topics(self):
        topics = read_topics("ir_datasets:small")
        assert [(topic.id, topic.title, topic.description) for topic in topics] == [
            ("1", "gates", "Is a gate open?"),
            ("2", "lamps", None),
        ]
        assert topics["1"].about == {"extra": ["x"]}
        assert read_topics("ir_datasets:plain")["7"].title == "gates"

    def test_topics_beside_files(self, tmp_path):
        (tmp_path / "more.tsv").write_text("8\tmore\n")
        assert read_topics(["ir_datasets:plain", tmp_path / "more.tsv"]).ids == ["7", "8"]

    def test_assessments(self):
        judged = read_assessments("ir_datasets:small")
        assert judged.judged.select("topic", "doc", "grade").rows() == [
            ("1", "a", 1),
            ("2", "b", 0),
            ("2", "a", 2),
        ]
        scores = evaluate({"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}}, "ir_datasets:small", "RR").scores
        assert scores["score"].to_list() == [1.0, 0.5]

    def test_documents(self, tmp_path):
        report = ingest("ir_datasets:small", tmp_path / "small.doxel")
        assert report.documents == 2
        collection = read_collection(tmp_path / "small.doxel")
        assert list(collection) == ["a", "b"]
        assert collection["a"].text == "Gates The gate is open."

    @pytest.mark.parametrize(
        ("call", "sentence"),
        [
            (
                lambda: read_topics("ir_datasets:smal"),
                "ir_datasets:smal: no such data set; did you mean small?",
            ),
            (lambda: read_assessments("ir_datasets:plain"), "wanted assessments, found a data set of topics"),
            (
                lambda: read_assessments("ir_datasets:absent"),
                "its assessments are not on this machine, .*, found connection refused by the server",
            ),
        ],
    )
    def test_unavailable_data_are_reported(self, call, sentence):
        with pytest.raises(InputError, match=sentence):
            call()

    def test_unavailable_documents_are_reported(self, tmp_path):
        with pytest.raises(InputError, match="its documents are not on this machine"):
            ingest("ir_datasets:absent", tmp_path / "absent.doxel")


def test_without_the_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingExtraError, match=r'reading ir_datasets:small needs .* "doxel\[datasets\]"'):
        read_topics("ir_datasets:small")


@pytest.mark.integration
def test_a_data_set_registered_with_the_real_library(tmp_path):
    ir_datasets = pytest.importorskip("ir_datasets")
    (tmp_path / "docs.tsv").write_text("a\tThe gate is open.\nb\tThe lamp is red.\n")
    (tmp_path / "queries.tsv").write_text("1\tgates\n")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    name = "doxel-test-small"
    ir_datasets.registry.register(
        name,
        ir_datasets.create_dataset(
            docs_tsv=str(tmp_path / "docs.tsv"),
            queries_tsv=str(tmp_path / "queries.tsv"),
            qrels_trec=str(tmp_path / "qrels.txt"),
        ),
    )
    source = f"ir_datasets:{name}"
    assert [(topic.id, topic.title) for topic in read_topics(source)] == [("1", "gates")]
    assert read_assessments(source).judged.select("topic", "doc", "grade").rows() == [("1", "a", 1.0)]
    ingest(source, tmp_path / "small.doxel")
    assert read_collection(tmp_path / "small.doxel")["b"].text == "The lamp is red."
    with pytest.raises(InputError, match="ir_datasets:cranfeld: no such data set; did you mean cranfield"):
        read_topics("ir_datasets:cranfeld")


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "site.anything"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE a (b)")
        connection.commit()
    return path


def test_a_sqlite_file_is_recognised_by_its_content(database, tmp_path):
    (tmp_path / "a.sqlite").write_text("1 Q0 a 1\n")
    assert is_site_database(database)
    assert is_site_database(str(database))
    assert not is_site_database(tmp_path / "a.sqlite")


@pytest.mark.parametrize("other", [None, 1, [], "", "missing.qrels", "a\0b", "/", "http://example.org/a"])
def test_anything_else_is_not_a_database(other):
    assert not is_site_database(other)


@pytest.mark.parametrize("scheme", ["sqlite:///", "postgresql://", "postgres://"])
def test_addresses_are_databases(scheme):
    assert is_site_database(f"{scheme}host/name")


def test_sources_are_split_by_kind(database):
    sources = split_sources([database, "a.qrels", "ir_datasets:cranfield"])
    assert sources == (["ir_datasets:cranfield"], [str(database)], ["a.qrels"])
    assert split_sources("a.qrels").files == ["a.qrels"]


def test_a_missing_package_is_reported_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, named_sources._SOURCE, raising=False)
    with pytest.raises(MissingExtraError, match="doxel assess"):
        load_site_function("read_site_assessments")
