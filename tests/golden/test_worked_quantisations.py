"""The quantisations of section 1, through ``evaluate``."""

from __future__ import annotations

from fractions import Fraction as F  # noqa: N817 - there are dozens of them

from measures.worked import Table, exactly, graded


def gains(table, name, quant, count, highest=1):
    """Recover the gain of each result from generalised precision at all ranks."""
    precision = [0.0, *table.at(name, f"qP(quant={quant})", range(1, count + 1))]
    return [highest * (k * precision[k] - (k - 1) * precision[k - 1]) for k in range(1, count + 1)]


def test_quantisations_of_2002_equal_their_tables(tmp_path):
    table = Table(
        {"g": graded("2002", [(r, c) for r in (3, 2, 1) for c in "ELS"] + [(0, "N"), None])}, tmp_path
    )
    assert gains(table, "g", "strict", 11) == exactly(1, *[0] * 10)
    assert gains(table, "g", "gen2002", 11) == exactly(
        1, F(3, 4), F(3, 4), F(3, 4), F(1, 2), F(1, 2), F(1, 2), F(1, 4), F(1, 4), 0, 0
    )


def test_quantisations_of_2003_equal_their_tables(tmp_path):
    pairs = [(e, s) for e in (3, 2, 1) for s in (3, 2, 1)]
    table = Table({"g": graded("2003", pairs)}, tmp_path)
    wanted = {
        "strict": [1, 0, 0, 0, 0, 0, 0, 0, 0],
        "gen": [1, F(3, 4), F(3, 4), F(3, 4), F(1, 2), F(1, 2), F(1, 2), F(1, 4), F(1, 4)],
        "sog": [1, F(3, 4), F(1, 4), F(9, 10), F(1, 2), F(1, 10), F(3, 4), F(1, 4), F(1, 10)],
        "e3s321": [1, 1, 1, 0, 0, 0, 0, 0, 0],
        "e3s32": [1, 1, 0, 0, 0, 0, 0, 0, 0],
        "e321s3": [1, 0, 0, 1, 0, 0, 1, 0, 0],
        "e32s3": [1, 0, 0, 1, 0, 0, 0, 0, 0],
        "product": [F(e * s, 9) for e, s in pairs],
        "strict01": [1, 0, 0, 0, 0, 0, 0, 0, 0],
    }
    for quant, values in wanted.items():
        assert gains(table, "g", quant, 9) == exactly(*values), quant


def test_quantisations_of_2005_equal_their_tables(tmp_path):
    highlights = [(0, 10), (10, 15), (20, 30), (30, 35), (40, 50)]
    table = Table({"g": graded("2005", [2, 2, 1, "?", 0, 2], highlights=highlights)}, tmp_path)
    wanted = {
        "strict5": (1, [1, 0, 0, 0, 0, 0]),
        "gen5": (2, [2, 1, 1, 0, 0, 0]),
        "genlifted": (3, [3, F(3, 2), 2, F(1, 2), 1, 0]),
        "product": (1, [1, F(1, 2), F(1, 2), 0, 0, 0]),
        "strict01": (1, [1, 0, 0, 0, 0, 0]),
        "spec": (1, [1, F(1, 2), 1, F(1, 2), 1, 0]),
        "strict2006": (1, [1, 0, 1, 0, 1, 0]),
    }
    for quant, (highest, values) in wanted.items():
        assert gains(table, "g", quant, 6, highest) == exactly(*values), quant
