"""What must hold of spans however they are cut, repeated or ordered."""

from hypothesis import given, settings
from hypothesis import strategies as st

from doxel.evaluation import evaluate

SPANS = st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.integers(1, 25)).map(
    lambda one: (one[0], one[1], one[1] + one[2])
)
LISTS = st.lists(SPANS, min_size=1, max_size=8)
ONCE = ("char_rec", "char_prec", "char_iou", "char_f1")


def scores(retrieved, gold, *measures, **how):
    found = evaluate({"q": retrieved}, {"q": gold}, list(measures), **how)
    return dict(found.scores.select("measure", "score").iter_rows())


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS, st.integers(0, 7), st.integers(1, 24))
def test_it_does_not_matter_where_a_result_is_cut(retrieved, gold, which, at):
    doc, start, end = retrieved[which % len(retrieved)]
    middle = min(start + at, end - 1) if end - start > 1 else end
    pieces = [(doc, start, middle), (doc, middle, end)]
    before = scores(retrieved, gold, *ONCE)
    assert scores([*retrieved, *pieces], gold, *ONCE) == before
    left = [one for place, one in enumerate(retrieved) if place != which % len(retrieved)]
    assert scores([*left, *pieces], gold, *ONCE) == before


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS, st.randoms())
def test_nor_does_the_order_of_the_whole_list_or_of_the_gold(retrieved, gold, random):
    names = (*ONCE, "span_rec", "hit", "chroma_rec", "chroma_prec", "chroma_iou")
    before = scores(retrieved, gold, *names)
    assert scores(random.sample(retrieved, len(retrieved)), random.sample(gold, len(gold)), *names) == before


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS)
def test_what_is_charged_is_never_less_than_what_is_read(retrieved, gold):
    charged = [f'{name}(repeats="charged")' for name in ONCE]
    found = scores(retrieved, gold, *ONCE, *charged)
    assert found["char_rec"] == found['char_rec(repeats="charged")']
    for name, other in zip(ONCE, charged, strict=True):
        assert found[other] <= found[name] + 1e-12


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS, st.data())
def test_no_ranking_of_chunks_passes_their_ceilings(chunks, gold, data):
    retrieved = data.draw(st.lists(st.sampled_from(chunks), min_size=1, max_size=6))
    names = ("char_rec", "char_rec@1", "omega_rec", "greedy_rec@1", "greedy_rec@50", "read(recall=1)")
    found = scores(retrieved, gold, *names, chunks=chunks)
    assert found["char_rec"] <= found["omega_rec"]
    assert found["char_rec@1"] <= found["greedy_rec@1"]
    assert found["greedy_rec@50"] == found["omega_rec"]
    assert (found["read(recall=1)"] < float("inf")) == (found["char_rec"] == 1)


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS)
def test_chromas_figures_are_never_above_the_sound_ones(retrieved, gold):
    found = scores(retrieved, gold, *ONCE, "chroma_rec", "chroma_prec", "chroma_iou")
    for kind in ("rec", "prec", "iou"):
        assert found[f"chroma_{kind}"] <= found[f"char_{kind}"] + 1e-12


@settings(deadline=None, max_examples=60)
@given(LISTS, LISTS)
def test_gains_of_bare_spans_keep_their_bounds(retrieved, gold):
    found = scores(retrieved, gold, "nxCG@1,3,10", "gr@10", "MAep", "iMAep")
    assert all(0 <= score <= 1 + 1e-12 for score in found.values())
