"""Format numbers as the tool prints them: by the rules of Java's ``Double.toString``."""

from __future__ import annotations

import math

__all__ = ["java_double"]


def java_double(value: float) -> str:
    """Return a double as Java prints it.

    It has the fewest digits that distinguish the value from its neighbours, with at least one digit on
    each side of the point; from 0.001 to below ten million in plain notation, else with an exponent.

    >>> [java_double(value) for value in (0.1 + 0.2, 1, 0.00054, 12345678.0, math.nan)]
    ['0.30000000000000004', '1.0', '5.4E-4', '1.2345678E7', 'NaN']
    """
    value = float(value)
    if math.isnan(value):
        return "NaN"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if math.isinf(value):
        return f"{sign}Infinity"
    if value == 0:
        return f"{sign}0.0"
    digits, exponent = _digits(abs(value))
    if -3 <= exponent < 7:
        return sign + _plain(digits, exponent)
    return f"{sign}{digits[0]}.{digits[1:]}E{exponent}"


def _digits(value: float) -> tuple[str, int]:
    """Return the digits of a positive double, at least two, and the exponent of the first."""
    mantissa, _, exponent = _scientific(value).partition("e")
    digits = mantissa.replace(".", "")
    if len(digits) == 1:
        # Java picks the nearest decimal of two digits, which need not end in 0: 4.9E-324
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        digits = mantissa.replace(".", "")
    return digits, int(exponent)


def _scientific(value: float) -> str:
    """Return the shortest digits that read back as the value, in scientific notation."""
    shortest = repr(value)
    if "e" in shortest:
        return shortest
    whole, _, fraction = shortest.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) - 1 if whole != "0" else len(digits) - len(fraction) - 1
    digits = digits.rstrip("0") or "0"
    return f"{digits[0]}.{digits[1:]}e{exponent}" if digits[1:] else f"{digits}e{exponent}"


def _plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + (digits.rstrip("0") or "0")
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{fraction.rstrip('0') or '0'}"
