"""Tables with declared columns: rows and frames that fit, and errors for those that do not."""

import polars as pl
import pytest

from doxel.errors import InputError
from doxel.tables import Column, Table

PAIRS = Table("pairs", (Column("a", pl.String, "first", required=True), Column("b", pl.Int64, "second")))


def test_the_empty_table_has_the_declared_columns():
    assert PAIRS.empty().schema == {"a": pl.String, "b": pl.Int64}
    assert PAIRS.empty().height == 0


def test_values_missing_from_a_row_are_null():
    rows = PAIRS.from_rows(row for row in [{"a": "x"}, {"b": 2, "a": "y"}])
    assert rows.schema == PAIRS.schema
    assert rows.rows() == [("x", None), ("y", 2)]
    assert PAIRS.from_rows([]).equals(PAIRS.empty())


def test_a_text_that_is_not_utf_8_is_an_error_that_quotes_it():
    with pytest.raises(InputError, match=r"pairs: wanted texts without surrogate characters, found .*udcff"):
        PAIRS.from_rows([{"a": "name-\udcff"}])


def test_a_frame_is_brought_to_the_declared_columns_types_and_order():
    frame = pl.DataFrame({"c": [1.5], "b": ["7"], "a": ["x"]})
    fitted = PAIRS.fit(frame)
    assert list(fitted.schema.items()) == [("a", pl.String), ("b", pl.Int64)]
    assert fitted.rows() == [("x", 7)]


def test_a_frame_that_fits_is_returned_as_it_is():
    frame = pl.DataFrame({"a": ["x"], "b": [1]})
    assert PAIRS.fit(frame) is frame


@pytest.mark.parametrize(
    ("frame", "found"), [(pl.DataFrame({"b": [1]}), "only b"), (pl.DataFrame(), "only no columns")]
)
def test_a_missing_required_column_is_an_error(frame, found):
    with pytest.raises(InputError, match=f"pairs: wanted the column 'a', found {found}"):
        PAIRS.fit(frame)


def test_values_of_another_type_are_an_error():
    with pytest.raises(InputError, match=r"pairs: wanted values of the declared types, found .*many"):
        PAIRS.fit(pl.DataFrame({"a": ["x"], "b": ["many"]}))
