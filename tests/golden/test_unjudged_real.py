"""On real assessments that are cut down at random, score and residual together bound the full score.

A trial keeps a random share of the judged documents of some topics.  For every topic that is defined under
both judgements, the score under all judgements is at most score + residual for the bounded measures of
section 13 of measures.md, and at least the score for the measures that unretrieved relevant text does not
lower.
"""

from dataclasses import replace
from random import Random

import polars as pl

from doxel.assessments import read_assessments
from doxel.evaluation import evaluate
from doxel.measures import parse_measure
from doxel.measures.declaration import BOUND
from doxel.runs import read_run
from random_share import count_cases

QRELS = "inex-adhoc-2009-2010.qrels"
RUN, GROUPED = "bert_inex_converted_1.run.gz", "bert1-grouped-by-document.run.gz"
RISING = (  # these never fall when more text is judged relevant
    "char_prec, char_prec@1,5,50, char_prec(repeats=charged)@20, iP(task=thorough)@0, P@1,5,30, RR, RR@3"
)
FALLING = (
    "char_rec, char_rec@1,5,50, char_iou, char_iou@5, char_iou(repeats=charged)@20, char_f1, char_f1@5,50, "
    "char_f1(repeats=charged)@20, R@1,5,30"
)
OF_ARTICLES = "gP@1,5,20, gP(beta=.25)@10, gP(pad=False)@50"
TOKENS = "token_prec, token_prec@3, token_rec, token_rec@3, token_iou@3, token_f1@3"
ROUNDING = 1e-12


def select(run, assessments, topics):
    """Return a run and the assessments of some topics."""
    is_chosen = pl.col("topic").is_in(list(topics))
    tables = {name: getattr(assessments, name).filter(is_chosen) for name in ("judged", "highlights", "beps")}
    return replace(run, results=run.results.filter(is_chosen)), replace(assessments, **tables)


def cut(assessments, random):
    """Return the assessments of a random share of the judged documents, drawn for each topic."""
    judged = assessments.judged.select("topic", "doc").unique(maintain_order=True)
    share = {topic: random.random() for topic in judged["topic"].unique(maintain_order=True)}
    drawn = judged.filter(pl.Series([random.random() < share[topic] for topic in judged["topic"]]))
    tables = {
        name: getattr(assessments, name).join(drawn, on=["topic", "doc"], how="semi", maintain_order="left")
        for name in ("judged", "highlights", "beps")
    }
    return replace(assessments, **tables)


def compare(run, assessments, names, random, **options):
    """Compare one cut with all judgements; return the scores compared and those with a residual."""
    measures = [measure for name in names for measure in parse_measure(name)]
    assert all(measure.find_residual(measure.resolve_parameters({})) == BOUND for measure in measures)
    sample = cut(assessments, random)
    if not sample.judged.height:
        return 0, 0
    full = evaluate(run, assessments, measures, on_mismatch="score", **options).scores
    partial = evaluate(run, sample, measures, residual=True, on_mismatch="score", **options).scores
    key = ["topic", "measure"]
    both = partial.join(full.select(*key, full="score"), on=key).filter(
        pl.col("score").is_not_nan() & pl.col("full").is_not_nan()
    )
    beyond = both.filter(pl.col("full") > pl.col("optimistic") + ROUNDING)
    assert not beyond.height, beyond.rows()
    rising = ("char_prec", "token_prec", "iP", "P@", "RR", "gP")
    below = both.filter(pl.col("measure").str.contains(f"^({'|'.join(rising)})"))
    below = below.filter(pl.col("full") < pl.col("score") - ROUNDING)
    assert not below.height, below.rows()
    assert (both["residual"] >= -ROUNDING).all()
    return both.height, both.filter(pl.col("residual") > ROUNDING).height


def run_trials(folder, trials, *, seed, topics=None):
    """Run trials on two real runs; return the scores compared and those with a residual."""
    random = Random(seed)
    assessments = read_assessments(folder / QRELS)
    runs = [(read_run(folder / RUN), (RISING, FALLING)), (read_run(folder / GROUPED), (OF_ARTICLES,))]
    answered = runs[0][0].results["topic"].unique(maintain_order=True)
    assessed = [topic for topic in answered if topic in set(assessments.topics)]
    counts = [0, 0]
    for _ in range(trials):
        sample = assessed if topics is None else random.sample(assessed, topics)
        for run, names in runs:
            compared = compare(*select(run, assessments, sample), names, random)
            counts = [count + more for count, more in zip(counts, compared, strict=True)]
    return counts


def test_score_and_residual_bound_the_score_under_all_judgements(shared_data):
    trials = count_cases(40)
    compared, open_scores = run_trials(shared_data / "inex-adhoc-2009-2010", trials, seed=13, topics=8)
    assert compared > 20 * trials
    assert open_scores > compared // 4


def run_token_trials(folder, trials, *, seed):
    """Run trials on words; random ones represent the text that was retrieved or judged."""
    random = Random(seed)
    run, assessments = read_run(folder / RUN), read_assessments(folder / QRELS)
    run = replace(run, results=run.results.filter(pl.int_range(pl.len()).over("topic") < 15))
    answered = run.results["topic"].unique(maintain_order=True)
    topics = [topic for topic in answered if topic in assessments.topics]
    run, assessments = select(run, replace(assessments, beps=assessments.beps.clear()), topics[:3])
    ends = pl.concat([run.results.select("doc", "end"), assessments.highlights.select("doc", "end")])
    sizes = dict(ends.group_by("doc").agg(pl.col("end").max()).iter_rows())
    words = "".join(random.choice("abcd  ") for _ in range(max(sizes.values())))
    texts = {doc: words[:size] for doc, size in sizes.items()}
    counts = [compare(run, assessments, (TOKENS,), random, collection=texts) for _ in range(trials)]
    return [sum(count) for count in zip(*counts, strict=True)]


def test_the_residuals_of_tokens_bound_them_too(shared_data):
    trials = count_cases(24)
    compared, open_scores = run_token_trials(shared_data / "inex-adhoc-2009-2010", trials, seed=14)
    assert compared > trials
    assert open_scores > trials
