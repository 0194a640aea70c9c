"""Properties of span measures under cutting, repeating and reordering."""

from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.evaluation import evaluate
from random_share import count_cases

SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.integers(1, 25)).map(
    lambda span: (span[0], span[1], span[1] + span[2])
)
LISTS = st.lists(SPANS, min_size=1, max_size=8)
ONCE = ("char_rec", "char_prec", "char_iou", "char_f1")


def scores(retrieved, gold, *measures, **how):
    result = evaluate({"q": retrieved}, {"q": gold}, list(measures), on_mismatch="score", **how)
    return dict(result.scores.select("measure", "score").iter_rows())


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS, st.integers(0, 7), st.integers(1, 24))
def test_cutting_a_result_in_two_does_not_change_the_scores(retrieved, gold, which, at):
    doc, start, end = retrieved[which % len(retrieved)]
    middle = min(start + at, end - 1) if end - start > 1 else end
    pieces = [(doc, start, middle), (doc, middle, end)]
    before = scores(retrieved, gold, *ONCE)
    assert scores([*retrieved, *pieces], gold, *ONCE) == before
    left = [result for place, result in enumerate(retrieved) if place != which % len(retrieved)]
    assert scores([*left, *pieces], gold, *ONCE) == before


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS, st.randoms())
def test_the_order_of_results_and_gold_does_not_change_the_scores_of_the_whole_list(retrieved, gold, random):
    names = (*ONCE, "span_rec", "hit", "chroma_rec", "chroma_prec", "chroma_iou")
    before = scores(retrieved, gold, *names)
    assert scores(random.sample(retrieved, len(retrieved)), random.sample(gold, len(gold)), *names) == before


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS)
def test_charging_repeats_never_increases_a_score(retrieved, gold):
    charged = [f'{name}(repeats="charged")' for name in ONCE]
    result = scores(retrieved, gold, *ONCE, *charged)
    assert result["char_rec"] == result['char_rec(repeats="charged")']
    for name, other in zip(ONCE, charged, strict=True):
        assert result[other] <= result[name] + 1e-12


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS, st.data())
def test_no_ranking_exceeds_the_recall_of_the_reference_choices_of_its_chunks(chunks, gold, data):
    retrieved = data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=6))
    names = ("char_rec", "char_rec@1", "omega_rec", "greedy_rec@1", "greedy_rec@50", "read(recall=1)")
    result = scores(retrieved, gold, *names, chunks=chunks)
    assert result["char_rec"] <= result["omega_rec"]
    assert result["char_rec@1"] <= result["greedy_rec@1"]
    assert result["greedy_rec@50"] == result["omega_rec"]
    assert (result["read(recall=1)"] < float("inf")) == (result["char_rec"] == 1)


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS)
def test_chromas_scores_never_exceed_the_correct_ones(retrieved, gold):
    result = scores(retrieved, gold, *ONCE, "chroma_rec", "chroma_prec", "chroma_iou")
    for kind in ("rec", "prec", "iou"):
        assert result[f"chroma_{kind}"] <= result[f"char_{kind}"] + 1e-12


@settings(deadline=None, max_examples=count_cases(60))
@given(LISTS, LISTS)
def test_gains_from_bare_spans_are_bounded(retrieved, gold):
    result = scores(retrieved, gold, "nxCG@1,3,10", "gr@10", "MAep", "iMAep")
    assert all(0 <= score <= 1 + 1e-12 for score in result.values())
