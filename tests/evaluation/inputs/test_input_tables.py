"""The inputs of ``evaluate``: files, objects and plain data give the same scores."""

import dataclasses
import gzip
import json
import os
import re
import threading
from pathlib import Path

import polars as pl
import pytest

from doxel.adapters.column_names import COLUMN_NAMES
from doxel.documents.ingestion import ingest
from doxel.errors import InputError
from doxel.evaluation import evaluate
from doxel.evaluation.inputs.input_tables import _WANTED_COLUMNS, as_assessments
from doxel.runs import RESULTS, Run, read_run

GOLD = [("1", "d", 100, 200), ("2", "e", 0, 10)]
SPANS = [("1", "d", 50, 150), ("1", "d", 100, 200), ("2", "e", 0, 20)]
WANTED = {"1": 2 / 3, "2": 1 / 2}  # char_prec
NAMES = ("topic", "doc", "start", "end")


def dicts(spans):
    return [dict(zip(NAMES, span, strict=True)) for span in spans]


class Column(list):
    """A column of a frame that is not from polars."""

    def to_list(self):
        return list(self)


class Frame:
    """The part of a pandas frame that doxel uses without importing pandas."""

    def __init__(self, rows):
        self._rows = rows
        self.columns = list(rows[0])

    def __getitem__(self, name):
        return Column(row[name] for row in self._rows)

    def to_dict(self):
        return self._rows


SHAPES = {
    "tuples": lambda spans: spans,
    "lists of dicts": dicts,
    "numbers as topics": lambda spans: [(int(topic), *rest) for topic, *rest in spans],
    "polars": lambda spans: pl.DataFrame(dicts(spans)),
    "lazy polars": lambda spans: pl.LazyFrame(dicts(spans)),
    "like pandas": lambda spans: Frame(dicts(spans)),
    "other columns": lambda spans: pl.DataFrame(dicts(spans)).with_columns(colour=pl.lit("red")),
    "other names": lambda spans: pl.DataFrame(dicts(spans)).rename({"topic": "query", "doc": "doc_id"}),
    "and others": lambda spans: pl.DataFrame(dicts(spans)).rename({"topic": "topic_id", "doc": "document"}),
}


def score(runs, gold=GOLD, **how):
    result = evaluate(runs, gold, "char_prec", **how)
    return dict(result.scores.select("topic", "score").iter_rows())


@pytest.mark.parametrize("shape", SHAPES)
def test_runs_may_be_plain_data(shape):
    assert score(SHAPES[shape](SPANS)) == pytest.approx(WANTED)


@pytest.mark.parametrize("shape", SHAPES)
def test_assessments_may_be_plain_data(shape):
    assert score(SPANS, SHAPES[shape](GOLD)) == pytest.approx(WANTED)


@pytest.mark.parametrize("shape", SHAPES)
def test_runs_may_be_in_a_list_or_a_mapping(shape):
    data = SHAPES[shape](SPANS)
    both = evaluate([data, data], GOLD, "char_prec")
    assert both.means["run"].to_list() == ["run1", "run2"]
    named = evaluate({"mine": data, "yours": data}, GOLD, "char_prec")
    assert named.means["run"].to_list() == ["mine", "yours"]
    assert evaluate(data, GOLD, "char_prec").means["run"].to_list() == ["run"]


@pytest.mark.parametrize("order", [["rank"], ["score"], ["rank", "score"]])
def test_plain_data_are_ordered_by_rank_and_score(order):
    rows = [{**row, "rank": 3 - place, "score": place / 2} for place, row in enumerate(dicts(SPANS))]
    selected = [{name: value for name, value in row.items() if name in {*NAMES, *order}} for row in rows]
    result = evaluate(selected, GOLD, "char_prec@1")
    assert result.scores["score"].to_list() == [1, 0.5]  # the second span of topic 1 comes first


class TestRuns:
    def write(self, folder, name="one.run", run_id="theirs"):
        lines = [
            f"{topic} Q0 {doc} 1 1.0 {run_id} {start} {end - start}\n" for topic, doc, start, end in SPANS
        ]
        (folder / name).write_text("".join(lines))
        return folder / name

    def test_files_are_given_as_string_or_path(self, tmp_path):
        file = self.write(tmp_path)
        for source in (file, str(file), [file], iter([str(file)])):
            result = evaluate(source, GOLD, "char_prec")
            assert result.means["run"].to_list() == ["theirs"]
            assert result.scores["score"].to_list() == pytest.approx(list(WANTED.values()))

    def test_a_mapping_names_files_and_runs_too(self, tmp_path):
        file = self.write(tmp_path)
        run = Run("theirs", RESULTS.from_rows(dicts(SPANS)))
        runs = {"file": file, "string": str(file), "run": run, "data": SPANS}
        for jobs in (1, 2):
            result = evaluate(runs, GOLD, "char_prec", jobs=jobs)
            assert result.means["run"].to_list() == list(runs)
            assert result.means["score"].n_unique() == 1
        assert run.id == "theirs"

    def test_a_named_file_that_cannot_be_read_is_reported_by_its_name(self, tmp_path):
        runs = {"gone": tmp_path / "gone.run", "mine": SPANS}
        result = evaluate(runs, GOLD, "char_prec", on_error="skip")
        assert [(rejection.run, rejection.measure) for rejection in result.rejected] == [("gone", "all")]
        assert result.means["run"].to_list() == ["mine"]

    def test_a_list_may_mix_files_runs_and_plain_data(self, tmp_path):
        run = Run("object", RESULTS.from_rows(dicts(SPANS)))
        result = evaluate([self.write(tmp_path), run, SPANS], GOLD, "char_prec")
        assert result.means["run"].to_list() == ["theirs", "object", "run3"]

    FOREIGN = "".join(
        f"{json.dumps(line)}\n"
        for line in (
            {"qid": "1", "doc_id": "chunk-7", "source": "/data/d.txt", "start_index": 50, "end_index": 150},
            {"qid": "1", "doc_id": "chunk-8", "source": "/data/d.txt", "start_index": 100, "end_index": 200},
            {"qid": "2", "doc_id": "chunk-9", "source": "/data/e.txt", "start_index": 0, "end_index": 20},
        )
    )

    def test_all_names_of_a_document_in_a_line_are_tried_also_in_compressed_files_and_pipes(self, tmp_path):
        plain, packed, pipe = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz", tmp_path / "pipe"
        plain.write_text(self.FOREIGN)
        packed.write_bytes(gzip.compress(self.FOREIGN.encode()))
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_text, args=(self.FOREIGN,), daemon=True)
        writer.start()
        for path in (plain, packed, pipe):
            assert score(path) == pytest.approx(WANTED)
        writer.join()
        assert score(read_run(plain)) == pytest.approx(WANTED)

    def test_a_question_with_a_foreign_id_is_found_by_its_text(self, tmp_path):
        gold = [
            {"topic": "1", "question": "Who?", "doc": "d", "start": 0, "end": 10},
            {"topic": "2", "question": "Why?", "doc": "d", "start": 20, "end": 30},
        ]
        lines = [
            {"query_id": f"x-{text}", "question": text, "source": "d", "start_index": 0, "end_index": 10}
            for text in ("Who?", "Why?")
        ]
        path = tmp_path / "a.jsonl"
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        own = tmp_path / "own.jsonl"
        own.write_text(
            path.read_text().replace("query_id", "topic").replace("x-", "").replace("source", "doc")
        )
        own.write_text(own.read_text().replace("_index", ""))
        for run in (lines, path, own):
            assert evaluate(run, gold, "char_prec").scores["score"].to_list() == [1, 0]

    def test_entry_points_have_no_end(self):
        gold = [{"topic": "1", "doc": "d", "bep": 100}]
        for run in ([{"topic": "1", "doc": "d", "start": 350}], [("1", "d", 350, None)]):
            assert evaluate(run, gold, 'MAgP(score="bep")').scores["score"].to_list() == [0.5]

    def test_a_result_may_be_marked_as_not_found(self):
        assert score([("1", "d", -1, -1), ("1", "d", 100, 200)])["1"] == 1

    def test_missing_numbers_of_pandas_frames_are_null(self):
        none = float("nan")  # pandas stores whole numbers with missing values as doubles
        rows = [
            {"topic": "1", "doc": "d", "start": 100.0, "end": 200.0, "rank": none},
            {"topic": "1", "doc": "z", "start": 350.0, "end": none, "rank": 1.0},
        ]
        result = evaluate(Frame(rows), GOLD, "art_prec(limit=1)").scores["score"].to_list()
        assert result == [0, 0]  # results with a rank come first
        assert score(Frame(rows))["1"] == 1


class TestAssessments:
    def test_assessments_may_be_one_or_several_files(self, tmp_path):
        (tmp_path / "a.qrels").write_text("1 Q0 d 100 400 0 100:100\n")
        (tmp_path / "b.qrels").write_text("2 Q0 e 10 400 0 0:10\n")
        both = [tmp_path / "a.qrels", str(tmp_path / "b.qrels")]
        assert score(SPANS, both) == pytest.approx(WANTED)
        assert score(SPANS, both[1]) == {"2": 0.5}

    def test_an_assessments_object_is_returned_unchanged(self):
        gold = as_assessments(GOLD)
        assert as_assessments(gold) is gold
        assert score(SPANS, dataclasses.replace(gold)) == pytest.approx(WANTED)

    def test_one_list_may_have_judged_documents_highlights_and_entry_points(self):
        gold = as_assessments(
            [
                {"topic": "1", "doc": "d", "start": 0, "end": 10},
                {"topic": "1", "doc": "d", "bep": 4},
                {"topic": "1", "doc": "e"},
                {"topic": "2", "doc": "e"},
            ]
        )
        assert gold.judged.select("topic", "doc").rows() == [("1", "d"), ("1", "e"), ("2", "e")]
        assert gold.highlights.select("topic", "doc", "start", "end").rows() == [("1", "d", 0, 10)]
        assert gold.beps.select("topic", "doc", "position").rows() == [("1", "d", 4)]
        assert gold.scale == "2006"

    def test_quotations_and_paths_are_found_in_the_collection(self, tmp_path):
        (tmp_path / "sources").mkdir()
        (tmp_path / "sources" / "d.xml").write_text("<a><p>one two</p><p>three</p></a>")
        ingest([str(tmp_path / "sources")], str(tmp_path / "collection"))
        for gold in ({"text": "two"}, {"path": "/a[1]/p[2]"}):
            result = evaluate(
                [("1", "d", 4, 12)],
                [{"topic": "1", "doc": "d", **gold}],
                "char_rec",
                collection=tmp_path / "collection",
            )
            assert result.scores["score"].to_list() == [1]


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        ([("1", "d", 9, 3)], "run 'run', row 1: wanted .*, -1 <= start <= end, found start 9, end 3"),
        ([("1", "d", 0, 1), ("1", "d", -2, 3)], "row 2: .* found start -2, end 3"),
        ([("1", "d", 0.5, 3)], "found start 0.5, end 3"),
        ([("1", "d", None, 3)], "found start None, end 3"),
        ([("1", "d", "0", "3")], "wanted start and end as whole numbers, found start String, end String"),
        ([("1", "d", 0)], r"rows as dicts, or as tuples \(topic, doc, start, end\).*, found \('1', 'd', 0\)"),
        ([{"doc": "d", "start": 0, "end": 1}], "text, content or page_content, found doc, start, end"),
        ([("1", "d", 0, 1), {"topic": "1"}], "wanted rows as dicts, or as tuples"),
        ([["1", "d", 0, 1]], "run 'run1': wanted rows as dicts, or as tuples"),
        (pl.DataFrame(), "text, content or page_content, found no rows"),
        ([(None, "d", 0, 1)], "run 'run', row 1: wanted a topic, found none"),
        ([{"topic": "1", "doc": "d", "rank": 1}, {"topic": "1", "doc": "e", "rank": 1.5}],
         "row 2: wanted rank as a whole number, found 1.5"),
        ([{"topic": "1", "doc": "d", "rank": "1"}], "wanted rank as a whole number, found rank String"),
        (5, "runs: wanted files, runs or plain data, one or several, found 5"),
    ],
)  # fmt: skip
def test_an_invalid_run_raises_an_error(run, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluate(run, GOLD, "char_prec")


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        ([("1", "d", 9, 3)], "assessments, row 1: wanted .*, 0 <= start <= end, found start 9, end 3"),
        ([("1", "d", -1, -1)], "row 1: .* found start -1, end -1"),
        ([{"topic": "1", "doc": "d", "start": 3}], "row 1: .* found start 3, end None"),
        ([{"topic": "1", "start": 0, "end": 1}], "assessments: wanted the columns topic and doc"),
        ([5], "wanted rows as dicts"),
        ([], "assessments: wanted rows with a topic and a doc, found none"),
        (5, "assessments: wanted rows as dicts, or as tuples .*, found 5"),
        ([(None, "d", 0, 1)], "assessments, row 1: wanted a topic, found none"),
        ([{"topic": "1", "doc": "d", "bep": -5}], "row 1: wanted bep as a whole number, 0 or more, found -5"),
        ([{"topic": "1", "doc": "d", "bep": 3.7}], "row 1: wanted bep as .*, found 3.7"),
        ([("1", "d", 0, 10**18)], "topic 1, document d: wanted a position of at most 2,147,483,647"),
        (Path("nowhere/at.all"), "nowhere/at.all"),
    ],
)  # fmt: skip
def test_invalid_assessments_raise_an_error(gold, sentence):
    with pytest.raises(InputError, match=sentence):
        evaluate(SPANS, gold, "char_prec")


@pytest.mark.parametrize(
    "runs",
    [
        {"1": dicts([("2", "e", 0, 20)])},
        {"1": dicts([("2", "e", 0, 20)]), "2": dicts([("2", "e", 0, 20)])},
        {"2": pl.DataFrame(dicts([("1", "d", 0, 20)]))},
    ],
)
def test_results_under_another_topic_than_their_own_are_an_error(runs):
    with pytest.raises(
        InputError, match=r"runs: wanted results listed under the topic that they name, or runs"
    ):
        evaluate(runs, GOLD, "char_prec")


def test_runs_may_be_named_like_topics():
    assert evaluate({"1": dicts(SPANS), "2": SPANS}, GOLD, "char_prec").means["run"].to_list() == ["1", "2"]
    run = next(
        iter(evaluate({"2": Run("", RESULTS.from_rows(dicts(SPANS[:1])))}, GOLD, "char_prec").means["run"])
    )
    assert run == "2"


def test_an_impossible_position_invalidates_one_result_and_not_the_run():
    # with such positions, the offsets of concatenated documents would exceed 64 bits
    far = [("1", "d", 2**31, 2**31 + 5), ("1", "d", 0, 10**18), ("1", "d", 100, 200)]
    result = evaluate(far, GOLD, "char_rec@2,3")
    assert result.scores.filter(topic="1")["score"].to_list() == [0, 1]
    message = (
        "run: 2 results were not found in the collection (outside the document); "
        "they keep their rank and count as retrieving nothing"
    )
    assert message in result.warnings


# ---- aspects

NAMED = {"topic": "1", "doc": "a", "start": 0, "end": 9, "aspect": "x"}


def test_rows_name_aspects_and_declare_their_settings():
    rows = [NAMED, {**NAMED, "aspect": None}, {"topic": "1", "aspects": {"x": {"weight": 2, "vital": False}}}]
    assessments = as_assessments(rows)
    assert assessments.highlights["aspect"].to_list() == ["x", None]
    assert assessments.aspects.select("topic", "aspect", "weight", "vital").rows() == [("1", "x", 2.0, False)]
    assert assessments.judged.height == 1


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({**NAMED, "aspect": " "}, "a text that is not empty"),
        ({"topic": "1", "doc": "b", "aspect": "x"}, "an aspect alone"),
        ({"topic": "1", "aspects": {"y": {}}}, "a highlight of this aspect"),
        ({"topic": "1", "aspects": {"x": {"weight": -1}}}, "a number above 0"),
    ],
)
def test_bad_aspects_of_rows_are_reported_with_their_row(row, wanted):
    with pytest.raises(InputError, match=wanted) as caught:
        as_assessments([NAMED, row])
    assert "2" in str(caught.value)


def test_every_name_that_an_error_about_columns_proposes_is_read():
    words = set(re.findall(r"\w+", _WANTED_COLUMNS))
    topics, docs, texts = (words & set(COLUMN_NAMES[column]) for column in ("topic", "doc", "text"))
    assert topics == {"topic", "query_id", "qid", "query", "question"}
    assert docs == {"doc", "doc_id", "docno", "source", "file_name", "document"}
    assert texts == {"text", "content", "page_content"}
