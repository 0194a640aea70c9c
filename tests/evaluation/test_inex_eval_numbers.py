"""Numbers as Java prints them; the pairs follow the documentation of java.lang.Double.toString."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doxel.evaluation.compat.inex_eval.inex_eval_tool import format_java_double


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (0.5, "0.5"),
        (-0.25, "-0.25"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2 / 3, "0.6666666666666666"),
        (0.001, "0.001"),
        (0.0015, "0.0015"),
        (0.01, "0.01"),
        (math.nextafter(0.001, 0), "9.999999999999998E-4"),
        (0.0001, "1.0E-4"),
        (0.00054, "5.4E-4"),
        (5.437719907790389e-4, "5.437719907790389E-4"),
        (1e-10, "1.0E-10"),
        (123456.789, "123456.789"),
        (9999999.0, "9999999.0"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (12345678.0, "1.2345678E7"),
        (-12345678.5, "-1.23456785E7"),
        (1e23, "1.0E23"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (5e-324, "4.9E-324"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
    ],
)
def test_a_double_is_formatted_as_in_java(value, text):
    assert format_java_double(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_formatted_double_reads_back_as_the_same_value(value):
    text = format_java_double(value)
    assert float(text) == value
    mantissa, _, exponent = text.lstrip("-").partition("E")
    whole, point, fraction = mantissa.partition(".")
    assert point == "."
    assert whole
    assert fraction
    if exponent:
        assert len(whole) == 1
        assert whole != "0"
    assert bool(exponent) == (value != 0 and not 1e-3 <= abs(value) < 1e7)
