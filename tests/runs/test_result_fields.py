"""The fields of a line in files of columns: separators, bulk reading, valid values and their errors."""

import polars as pl
import pytest

from doxel.errors import InputError
from doxel.runs.result_fields import (
    LARGEST_NUMBER,
    LENGTH,
    OFFSET,
    PATH,
    RANK,
    RSV,
    are_valid_fields,
    find_run_id,
    normalise_separators,
    parse_columns,
    parse_fields,
    scan_columns,
)

SPAN = {"start": OFFSET, "length": LENGTH}


def parse(fields, *texts):
    lines = list(enumerate(texts, 7))
    return parse_columns(lines, fields, "a.run", wanted="some columns")


@pytest.mark.parametrize(
    ("data", "normalised"),
    [
        (b"1 Q0\r\n2 Q0\r\n", b"1 Q0\n2 Q0\n"),
        (b"1\tQ0\x0b2\x0c3\n", b"1 Q0 2 3\n"),
        (b"1 Q0\n\n \n", b"1 Q0"),
        (b"1 Q0\n", b"1 Q0\n"),
        (b"", b""),
    ],
)
def test_separators_become_blanks_and_line_feeds(data, normalised):
    assert normalise_separators(data) == normalised


def test_lines_are_scanned_with_their_numbers_and_missing_fields_are_null():
    schema = {"topic": pl.String, "rank": pl.Int64}
    rows = scan_columns(b'1 10\n"2 20\n3\n', schema).collect().rows()
    assert rows == [(1, "1", 10), (2, '"2', 20), (3, "3", None)]


def test_the_run_id_is_that_of_all_rows_that_have_one():
    def table(*ids):
        return pl.DataFrame(
            {"run": ids, "line": range(1, len(ids) + 1)}, schema={"run": pl.String, "line": pl.UInt32}
        )

    assert find_run_id(table(None, "r", "r"), "a.run") == "r"
    assert find_run_id(table(None, None), "a.run") == find_run_id(table(), "a.run") == ""
    with pytest.raises(InputError, match=r"a\.run, line 3: a second run-id: .*'r' as in line 2, found 's'"):
        find_run_id(table(None, "r", "s", "t"), "a.run")


def test_a_line_with_another_number_of_columns_is_an_error_with_its_line():
    with pytest.raises(InputError, match=r"a\.run, line 8: a result: wanted some columns, found 3 columns"):
        parse({"rank": RANK, "rsv": RSV}, "1 0.5", "2 0.4 x")


def test_the_first_invalid_value_is_an_error_with_its_line():
    assert parse({"rank": RANK, "rsv": RSV}, "+1 .5e-3", "-2 INF").rows() == [
        (1, 0.0005, 7),
        (-2, float("inf"), 8),
    ]
    with pytest.raises(InputError, match="line 8: the rsv of a result: wanted a number, found 'nan'"):
        parse({"rank": RANK, "rsv": RSV}, "1 0.5", "2 nan", "x 0.4")


@pytest.mark.parametrize(
    ("text", "values"),
    [("0 +5", (0, 5)), ("X 5", (-1, 0)), ("x 0", (-1, 0)), ("-1 7", (-1, 0))],
)
def test_a_result_that_was_not_found_has_no_length(text, values):
    assert parse(SPAN, text).row(0)[:2] == values


@pytest.mark.parametrize("text", ["-2 5", "0 -1", "1.5 5", f"{10 * LARGEST_NUMBER} 5"])
def test_offsets_and_lengths_are_whole_numbers_from_0_below_the_largest(text):
    with pytest.raises(InputError, match=r"(offset|length) of a result: wanted a number of characters, 0 or"):
        parse(SPAN, text)


@pytest.mark.parametrize(
    ("fields", "values", "is_valid"),
    [
        ({"rsv": RSV}, {"rsv": [0.5, float("inf")]}, True),
        ({"rsv": RSV}, {"rsv": [0.5, float("nan")]}, False),
        (SPAN, {"start": [0, -1], "length": [LARGEST_NUMBER - 1, -9]}, True),
        (SPAN, {"start": [0], "length": [LARGEST_NUMBER]}, False),
        (SPAN, {"start": [LARGEST_NUMBER], "length": [0]}, False),
        (SPAN, {"start": [-2], "length": [0]}, False),
        ({"path": PATH}, {"path": ["/a[1]", None]}, True),
        ({"path": PATH}, {"path": ["/a[1]", "a"]}, False),
    ],
)
def test_the_bulk_reader_accepts_what_the_line_reader_accepts(fields, values, is_valid):
    table = pl.DataFrame(values)
    assert are_valid_fields(table, fields) is is_valid
    texts = table.fill_nan(None).cast(pl.String).with_columns(line=pl.lit(1, dtype=pl.UInt32))
    if is_valid and "length" not in fields:  # the length beside an offset of -1 is not looked at in bulk
        assert parse_fields(texts, fields, "a.run").drop("line").equals(table)
