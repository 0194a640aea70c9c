"""MRR@10 of MS MARCO, which is doxel's RR@10 under another name."""

import pytest

import doxel
from doxel.errors import InputError


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels.tsv").write_text("1\t0\ta\t1\n2\t0\tb\t1\n3\t0\tc\t1\n")
    lines = [("1", "x"), ("1", "a"), *(("2", f"d{number}") for number in range(10)), ("2", "b")]
    ranks = {"1": 0, "2": 0}
    text = ""
    for topic, passage in lines:
        ranks[topic] += 1
        text += f"{topic}\t{passage}\t{ranks[topic]}\n"
    (tmp_path / "run.tsv").write_text(text)
    return tmp_path / "run.tsv", tmp_path / "qrels.tsv"


def test_every_judged_query_counts_and_ranks_after_ten_do_not(files):
    result = doxel.evaluate(*files, "msmarco")
    assert result.scores["measure"].unique().to_list() == ["MRR@10"]
    assert result.scores["score"].to_list() == [0.5, 0, 0]
    assert result.means["score"].to_list() == [0.5 / 3]


def test_it_agrees_with_the_measure_of_doxel_which_keeps_its_name(files):
    result = doxel.evaluate(*files, ["msmarco", "MRR@10"])
    assert result.means["measure"].to_list() == ["MRR@10", "RR@10"]
    assert result.means["score"].n_unique() == 1


def test_a_passage_is_at_the_rank_that_its_line_gives(tmp_path):
    """The program fills an array by rank: missing ranks stay empty, and a later line replaces an earlier."""
    (tmp_path / "qrels.tsv").write_text("1\t0\ta\t1\n2\t0\tb\t1\n3\t0\tc\t1\n")
    lines = "1\tx\t2\n1\ta\t4\n2\tb\t11\n3\tc\t1\n3\ty\t1\n3\tc\t5\n"
    (tmp_path / "run.tsv").write_text(lines)
    result = doxel.evaluate(tmp_path / "run.tsv", tmp_path / "qrels.tsv", "msmarco")
    assert result.scores["score"].to_list() == [1 / 4, 0, 1 / 5]


def test_gold_of_passages_of_text_is_refused():
    with pytest.raises(InputError, match="wanted judgements of whole passages"):
        doxel.evaluate([("1", "a", 0, 5)], [("1", "a", 0, 5)], "msmarco")
