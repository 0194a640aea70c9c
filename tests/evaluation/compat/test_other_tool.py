"""``compat=`` in Python chooses the tool whose figures are computed."""

import pytest

import doxel
from doxel.errors import DoxelError

GOLD = "1 Q0 d 30 100 0 0:30\n"
RUN = "1 Q0 d 1 1 mine 0 30\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.qrels").write_text(GOLD, encoding="utf-8")
    (tmp_path / "mine.run").write_text(RUN, encoding="utf-8")
    return [tmp_path / "mine.run"], tmp_path / "gold.qrels"


def test_inex_eval_computes_its_own_figures(files):
    means = doxel.evaluate(*files, "iP@0.01", compat="inex_eval", task="focused").means
    assert means["score"].to_list() == [1.0]


def test_an_unknown_tool_is_rejected(files):
    with pytest.raises(DoxelError, match="compat: wanted inex_eval or trec_eval or bioasq or locomo"):
        doxel.evaluate(*files, compat="evalj")


def test_a_lowest_grade_needs_trec_eval(files):
    with pytest.raises(DoxelError, match="min_grade"):
        doxel.evaluate(*files, min_grade=2)
