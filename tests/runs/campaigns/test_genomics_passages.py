"""Runs of TREC Genomics: seven columns, offsets and lengths in bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.errors import InputError
from doxel.runs import RESULTS, Run, read_run
from doxel.runs.campaigns.genomics_passages import GENOMICS_PASSAGES

LINES = "200 12595615 1 48.6 28426 295 demo\n\n007\t9  2 1e1 0 5\tdemo\n"
COLUMNS = ("topic", "doc", "rank", "rsv", "start", "end")


def test_columns_may_be_separated_by_any_white_space(tmp_path):
    (tmp_path / "a.run").write_text(LINES)
    run = read_run(tmp_path / "a.run")
    assert (run.id, run.format) == ("demo", "genomics")
    assert run.results.select(COLUMNS).rows() == [
        ("200", "12595615", 1, 48.6, 28426, 28721),
        ("7", "9", 2, 10.0, 0, 5),
    ]
    assert run.results["line"].to_list() == [1, 3]


rows = st.fixed_dictionaries(
    {
        "topic": st.integers(0, 999).map(str),
        "doc": st.integers(1, 10**8).map(str),
        "rank": st.integers(0, 1000),
        "rsv": st.floats(allow_nan=False),
        "start": st.integers(0, 10**9),
        "size": st.integers(0, 10**6),
    }
)


@given(st.lists(rows, min_size=1, max_size=5))
def test_written_runs_are_read_unchanged(drawn):
    results = RESULTS.from_rows([{**row, "end": row["start"] + row.pop("size")} for row in drawn])
    data = GENOMICS_PASSAGES.write(Run("mine", results))
    again = GENOMICS_PASSAGES.read(data, "again")
    assert again.results.select(COLUMNS).equals(results.select(COLUMNS))
    assert again.id == "mine"
    assert GENOMICS_PASSAGES.recognises(data)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "1 2 3 4 5 6",
            "a result: wanted 7 columns: topic PMID rank score offset length tag, found 6 columns",
        ),
        ("x 2 1 4 5 6 t", "the topic of a result: wanted a whole number, found 'x'"),
        ("1 2 1 high 5 6 t", "the rsv of a result: wanted a number, found 'high'"),
        ("1 2 1 4 -5 6 t", "the offset of a result: wanted a number of bytes, 0 or more, found '-5'"),
        ("1 2 1 4 5 6 other", "a second run-id"),
    ],
)
def test_an_odd_line_is_an_error_with_its_number(line, message):
    with pytest.raises(InputError) as caught:
        GENOMICS_PASSAGES.read(f"1 2 1 4.0 5 6 t\n{line}\n".encode(), "a.run")
    assert str(caught.value).startswith(f"a.run, line 2: {message}")


@pytest.mark.parametrize(
    "row", [{"topic": "q1"}, {"start": -1, "end": -1}, {"path": "/a", "start": None, "end": None}]
)
def test_results_that_the_format_cannot_express_are_rejected(row):
    result = {"topic": "1", "doc": "2", "rank": 1, "rsv": 1.0, "start": 0, "end": 5, **row}
    with pytest.raises(InputError, match="cannot be written as genomics"):
        GENOMICS_PASSAGES.write(Run("r", RESULTS.from_rows([result])))


@pytest.mark.parametrize("first", ["200 12 x 4.0 5 6 t", "200 12 1 4.0 5 6", "200 12 1 4.0 -5 6 t"])
def test_a_damaged_first_line_is_reported_as_one_of_this_format(first, tmp_path):
    (tmp_path / "a.run").write_text(f"{first}\n200 13 2 3.0 5 6 t\n200 14 3 2.0 5 6 t\n")
    with pytest.raises(InputError, match="line 1") as caught:
        GENOMICS_PASSAGES.read((tmp_path / "a.run").read_bytes(), str(tmp_path / "a.run"))
    with pytest.raises(InputError, match="line 1") as read:
        read_run(tmp_path / "a.run")
    assert str(read.value) == str(caught.value)


@pytest.mark.parametrize("line", [b"1 Q0 12 1 9 5 100", b"1 Q0 d 1 0.9 r /a[1]", b"1 Q0 d 1 0.9 r 5 9"])
def test_other_runs_are_not_taken_for_genomics(line):
    assert not GENOMICS_PASSAGES.recognises(line)
