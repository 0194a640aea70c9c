"""The views of judged text: which topics have a score, and the reason why the others have none."""

from doxel.measures import MEASURES
from doxel.measures.judged_views import JudgedReading, JudgedResults, JudgedText
from measures.arrays import each, rows


def test_every_topic_counts_for_the_judged_shares_and_those_with_relevant_text_for_bpref():
    assert JudgedText(rows([1, 2]), rows([0, 2])).defined.tolist() == [True]
    assert JudgedResults(rows([0, 0]), each(2)).defined.tolist() == [True]
    stretches = rows([5])
    assert JudgedReading(stretches, stretches, stretches, each(0)).defined.tolist() == [False]
    assert JudgedReading(stretches, stretches, stretches, each(9)).defined.tolist() == [True]


def test_a_topic_without_text_or_results_is_explained():
    assert JudgedText.explain_gap({}) == "the results that count hold no character"
    assert JudgedResults.explain_gap({}) == "there is no result that counts"


def test_every_measure_with_a_limit_takes_unjudged_except_the_judged_shares():
    by_name = {measure.declaration.name: measure.declaration.parameters for measure in MEASURES}
    with_limit = {name for name, parameters in by_name.items() if "limit" in parameters}
    with_unjudged = {name for name, parameters in by_name.items() if "unjudged" in parameters}
    assert with_limit - with_unjudged == {"judged_chars", "judged_results"}
    assert with_unjudged < with_limit
    assert "bpref_chars" in with_unjudged
