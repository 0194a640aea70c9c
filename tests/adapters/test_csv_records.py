"""Tables in CSV and TSV files: as records, as runs and as gold."""

import polars as pl
import pytest

import doxel
from doxel.adapters.csv_records import is_csv_table, read_csv_records
from doxel.errors import InputError

TEXTS = {"manual.md": "Switch it off first. Then remove the lid.", "faq.md": "The lid is hot."}


def write(folder, name, text):
    (folder / name).write_bytes(text.encode())
    return folder / name


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        ("question,source,content\n", True),
        ('\ufeff"Question";"Page Content"\r\n', True),
        ("query-id\tcorpus-id\tscore\n", True),
        ("question,colour\n", True),
        ("query\t7\t1\n", False),
        ("source,content\n", False),
        ("question\n", False),
        ("1 Q0 a 1 0.5 run\n", False),
        ('{"question": "a", "source": "b"}\n', False),
        ("", False),
    ],
)
def test_a_table_is_recognised_by_the_names_in_its_header(text, is_table):
    assert is_csv_table(text.encode()) is is_table


def test_offsets_and_scores_become_numbers_and_ids_stay_as_they_are():
    rows = read_csv_records(b"qid,doc,start,end,score,chunk,year\n007,12,3,10.0,.5,4,1999\n", "a.csv")
    values = {"qid": "007", "doc": "12", "start": 3, "end": 10, "score": 0.5, "chunk": 4.0, "year": "1999"}
    assert rows == [(2, values)]


def test_an_empty_cell_is_a_missing_value_and_blank_lines_are_skipped():
    rows = read_csv_records(b"\nqid,doc,score\n\nq,a,\n ,,\nq,b,1\n", "a.csv")
    assert rows == [(4, {"qid": "q", "doc": "a", "score": None}), (6, {"qid": "q", "doc": "b", "score": 1.0})]


def test_a_row_has_the_line_on_which_it_starts():
    rows = read_csv_records(b'qid,text\nq,"one\ntwo"\nq,three\n', "a.csv")
    assert [(line, row["text"]) for line, row in rows] == [(2, "one\ntwo"), (4, "three")]


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ("qid,doc\nq,a,b\n", 2, "2 cells, as in the header"),
        ("qid,doc,doc\nq,a,b\n", 1, "each column once"),
        ("qid,doc\n", None, "rows below the header"),
        ('qid,doc\nq,"a\n', 2, "rows of cells"),
        ("colour,size\n1,2\n", 1, "names of columns in the first line"),
        ("question,answer\nWhy?,So.\n", 1, "names of columns in the first line"),
    ],
)
def test_a_wrong_table_is_rejected_with_its_line(text, line, wanted):
    with pytest.raises(InputError) as caught:
        read_csv_records(text.encode(), "a.csv")
    assert caught.value.line == line
    assert caught.value.wanted.startswith(wanted)


def test_a_cell_that_is_not_a_number_is_reported_with_its_line(tmp_path):
    path = write(tmp_path, "run.csv", "qid,doc,start,end\nq,a,1,2\nq,a,3,x\n")
    with pytest.raises(InputError, match="line 3: the end of a result: wanted a whole number, found 'x'"):
        doxel.read_run(path)


TABLE = """question,source,content,score
How?,docs/manual.md,Then remove the lid.,0.2
How?,manual.md,Switch it off first.,0.9
Hot?,faq.md,The lid is hot.,0.1
"""
GOLD = "question;text\nHow?;Then remove the lid.\nHot?;The lid is hot.\n"


def test_files_score_as_the_same_tables_in_python_do(tmp_path):
    run, gold = write(tmp_path, "run.csv", TABLE), write(tmp_path, "gold.csv", GOLD)
    measures = "char_rec@1,2, char_prec@2"
    from_files = doxel.evaluate(run, gold, measures, collection=TEXTS)
    tables = pl.read_csv(run), pl.read_csv(gold, separator=";")
    from_tables = doxel.evaluate(*tables, measures, collection=TEXTS)
    columns = ["topic", "measure", "score"]
    assert from_files.scores.select(columns).equals(from_tables.scores.select(columns))
    # by hand: 20 of 20 gold characters of How? at rank 2, none at rank 1; all of Hot? at rank 1
    assert from_files.means["score"].to_list() == [0.5, 1.0, pytest.approx((20 / 40 + 1) / 2)]


def test_a_run_has_the_name_of_its_file_and_lists_the_columns_it_ignores(tmp_path):
    run = doxel.read_run(write(tmp_path, "mine.csv", "qid,doc,colour\nq,a,red\n"))
    assert (run.id, run.format, run.notes) == ("mine", "csv", ("keys left out: colour (1)",))


def test_quotes_from_source_files_are_gold(tmp_path):
    table = "Question,Source file,Quote\nHow?,a.txt,like this\n"
    gold = doxel.read_assessments(write(tmp_path, "gold.csv", table))
    assert gold.highlights.select("topic", "doc", "text").rows() == [("How?", "a.txt", "like this")]


def test_gold_without_places_has_grades_of_documents(tmp_path):
    gold = doxel.read_assessments(write(tmp_path, "g.csv", "query-id,corpus-id,score\nq,a,2\nq,b,0\n"))
    assert (gold.scale, gold.format) == ("documents", "csv")
    assert gold.judged.select("doc", "grade").rows() == [("a", 2.0), ("b", 0.0)]
    result = doxel.evaluate({"q": {"b": 2.0, "a": 1.0}}, gold)
    assert dict(result.means.select("measure", "score").iter_rows())["RR"] == 0.5


def test_true_and_false_are_the_grades_1_and_0(tmp_path):
    spans = write(tmp_path, "spans.csv", "topic,doc,start,end,relevant\n1,a,0,9,False\n1,a,20,29,TRUE\n")
    assert doxel.read_assessments(spans).highlights["grade"].to_list() == [0.0, 1.0]
    documents = write(tmp_path, "documents.csv", "topic,doc,relevant\n1,a,false\n1,b,1\n")
    assert doxel.read_assessments(documents).judged["grade"].to_list() == [0.0, 1.0]


def test_gold_without_places_and_grades_is_an_error(tmp_path):
    with pytest.raises(InputError, match="for the grade of a document, found question, source"):
        doxel.read_assessments(write(tmp_path, "g.csv", "question,source\nq,a\n"))


def test_a_row_of_gold_without_a_text_judges_its_document(tmp_path):
    gold = doxel.read_assessments(write(tmp_path, "g.csv", "topic,doc,text\nq,a,words\nq,b,\n"))
    assert gold.judged["doc"].to_list() == ["a", "b"]
    assert gold.highlights["doc"].to_list() == ["a"]


def test_a_table_is_read_and_not_written(tmp_path):
    run = doxel.read_run(write(tmp_path, "run.csv", TABLE))
    with pytest.raises(InputError, match="csv is a format that doxel only reads"):
        doxel.write_run(run, tmp_path / "out.csv", "csv")
