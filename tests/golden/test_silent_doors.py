"""Inputs that once gave a plausible wrong score: a right score, a warning or an error instead.

Every case is tried in Python and on the command line.
"""

import json

import polars as pl
import pytest

import doxel as library
from documents.commands import doxel
from doxel.errors import DoxelWarning, InputError

GRADES = [("1", "a", 1), ("1", "b", 0), ("2", "c", 2)]
GOLD = [{"topic": topic, "doc": doc, "grade": grade} for topic, doc, grade in GRADES]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path):
    qrels = "".join(f"{topic} 0 {doc} {grade}\n" for topic, doc, grade in GRADES)
    (tmp_path / "gold.qrels").write_text(qrels)
    return tmp_path


def command(folder, run, *arguments, name="mine.jsonl"):
    """Score one run file with the command line; its rows are those of Python."""
    (folder / name).write_text(run if isinstance(run, str) else lines(*run))
    return doxel("evaluate", "-a", folder / "gold.qrels", *arguments, folder / name)


def scores(outcome):
    return [float(line.split("\t")[3]) for line in outcome.out.splitlines()[1:]]


class TestGradesOfDocuments:
    """Rows with a grade and no place are judgements of documents, as TREC qrels are."""

    RUN = ({"topic": "1", "doc": "b"}, {"topic": "1", "doc": "a"}, {"topic": "2", "doc": "c"})

    def test_python_takes_them_as_the_file_does(self, folder):
        # by hand: the relevant document of topic 1 is at rank 2, that of topic 2 at rank 1
        result = library.evaluate(list(self.RUN), GOLD, "RR")
        assert result.scores["score"].to_list() == [0.5, 1.0]
        assert scores(command(folder, self.RUN, "-m", "RR")) == [0.75]

    def test_they_choose_the_measures_of_documents(self):
        measures = library.evaluate(list(self.RUN), GOLD).scores["measure"].unique(maintain_order=True)
        assert measures.to_list() == ["AP", "nDCG@10", "P@10", "R@100", "RR"]

    def test_two_grades_of_a_document_are_an_error(self):
        gold = [*GOLD, {"topic": "1", "doc": "a", "grade": 2}]
        message = "assessments of topic 1, document a: wanted one grade, found 1 and 2"
        with pytest.raises(InputError, match=message):
            library.evaluate(list(self.RUN), gold, "RR")

    def test_a_judgement_that_is_repeated_counts_once(self):
        assert library.evaluate(list(self.RUN), [*GOLD, *GOLD], "AP").scores["score"].to_list() == [0.5, 1.0]

    @pytest.mark.parametrize("grade", [None, "high", float("nan")])
    def test_every_row_needs_a_number(self, grade):
        gold = [*GOLD[:1], {"topic": "1", "doc": "b", "grade": grade}]
        with pytest.raises(InputError, match=r"wanted a grade|grade"):
            library.evaluate(list(self.RUN), gold, "RR")

    def test_a_grade_alone_among_highlights_is_an_error(self):
        gold = [{"topic": "1", "doc": "a", "start": 0, "end": 9, "grade": 1}, {**GOLD[0], "doc": "b"}]
        with pytest.raises(InputError, match=r"row 2: wanted start and end.*found a grade alone"):
            library.evaluate(list(self.RUN), gold, "char_rec")


class TestDistances:
    """The column ``distance`` is recognised by its name: the nearest result is the best."""

    RUN = ({"topic": "1", "doc": "b", "distance": 0.9}, {"topic": "1", "doc": "a", "distance": 0.1})

    def test_the_nearest_result_is_the_first(self, folder):
        assert library.evaluate(list(self.RUN), GOLD[:2], "RR").scores["score"].to_list() == [1.0]
        assert scores(command(folder, self.RUN, "-m", "RR", "--topics", "run")) == [1.0]

    @pytest.mark.parametrize(
        "name", ["_distance", "dist", "cosine_distance", "Vector Distance", "l2-distance"]
    )
    def test_other_names_of_distances_are_known(self, folder, name):
        run = [{"topic": row["topic"], "doc": row["doc"], name: row["distance"]} for row in self.RUN]
        assert library.evaluate(run, GOLD[:2], "RR").scores["score"].to_list() == [1.0]
        assert scores(command(folder, run, "-m", "RR", "--topics", "run")) == [1.0]

    def test_a_score_beside_it_must_agree(self):
        run = [{**row, "score": 1 - row["distance"]} for row in self.RUN]
        assert library.evaluate(run, GOLD[:2], "RR").scores["score"].to_list() == [1.0]
        with pytest.raises(InputError, match=r"a score or a distance, .* found different orders"):
            library.evaluate([{**row, "score": row["distance"]} for row in self.RUN], GOLD[:2], "RR")

    def test_a_distance_that_is_not_a_number_is_an_error(self, folder):
        run = [{**row, "distance": "near"} for row in self.RUN]
        with pytest.raises(InputError, match="wanted a distance as a number"):
            library.evaluate(run, GOLD, "RR")
        outcome = command(folder, run, "-m", "RR")
        assert outcome.status == 2
        assert "the distance of a result: wanted a number, found 'near'" in outcome.err


class TestMeasuresThatLackData:
    """A measure that needs a collection does not keep the others from being computed."""

    RUN = ({"topic": "1", "doc": "a"}, {"topic": "2", "doc": "x"})

    def test_the_others_are_scored_and_the_reason_is_given(self, folder):
        result = library.evaluate({"mine": list(self.RUN)}, GOLD, ["AP", "MAiP"])
        assert result.scores["measure"].to_list() == ["AP", "AP"]
        reason = (
            "2 results have no start and end, as elements, documents or quotations: wanted a collection (-c)"
        )
        assert [(item.run, item.measure) for item in result.rejected] == [("mine", "MAiP")]
        assert reason in result.rejected[0].reason
        (warning,) = (warning for warning in result.warnings if warning.effect != "none")
        assert (warning.code, warning.effect, warning.run) == ("S116", "refuse", "mine")
        outcome = command(folder, self.RUN, "-m", "AP", "-m", "MAiP")
        assert outcome.status == 1
        assert scores(outcome) == [0.5]
        assert f"mine: MAiP not computed: {reason}" in outcome.err
        assert outcome.messages[0].endswith("[S116]")

    def test_alone_it_is_an_error(self, folder):
        with pytest.raises(InputError, match="a collection"):
            library.evaluate(list(self.RUN), GOLD, "MAiP")
        assert command(folder, self.RUN, "-m", "MAiP").status == 2


class TestRankings:
    """Ranks and scores that contradict each other are counted; a constant rank counts as none."""

    def test_a_constant_rank_is_ignored_with_a_warning(self, folder):
        # the relevant document has the higher score: RR is 1, not 1/2
        rows = [{"topic": "1", "doc": doc, "rank": 1, "score": score} for doc, score in (("b", 1), ("a", 2))]
        sentence = "mine: 1 topic has the same rank for all its results"
        result = library.evaluate({"mine": rows}, GOLD[:2], "RR")
        assert result.scores["score"].to_list() == [1.0]
        assert {warning.code for warning in result.warnings} == {"R311", "R312"}
        assert result.warnings[0].startswith(sentence)
        trec = "1 Q0 b 1 1.0 mine\n1 Q0 a 1 2.0 mine\n"
        outcome = command(folder, trec, "-m", "RR", "--topics", "run", name="mine.run")
        assert scores(outcome) == [1.0]
        assert f"doxel: {sentence}" in outcome.err
        assert "[R311]" in outcome.err

    @pytest.mark.parametrize("content", ["1\tb\t1\n1\ta\t1\n", "1 Q0 b 1 0 mine\n1 Q0 a 1 0 mine\n"])
    def test_a_constant_rank_without_different_scores_is_reported(self, folder, content):
        outcome = command(folder, content, "-m", "RR", "--topics", "run", name="mine.run")
        assert scores(outcome) == [0.5]
        reason = "the ranks are ignored, and the lines of the file decide the order [R311]"
        assert f"mine: 1 topic has the same rank for all its results; {reason}" in outcome.err
        rows = [{"topic": "1", "doc": doc, "rank": 1} for doc in "ba"]
        assert [item.code for item in library.evaluate(rows, GOLD[:2], "RR").warnings] == ["R311"]

    def test_a_rank_shared_by_rising_scores_is_counted(self, folder):
        # b and a have rank 1, and the file lists the lower score first
        trec = "1 Q0 b 1 1.0 mine\n1 Q0 a 1 2.0 mine\n1 Q0 d 2 0.5 mine\n"
        outcome = command(folder, trec, "-m", "RR", "--topics", "run", name="mine.run")
        assert scores(outcome) == [0.5]
        assert "mine: 1 result shares its rank with a result of another score (in 1 topic)" in outcome.err
        result = library.evaluate(folder / "mine.run", GOLD[:2], "RR")
        assert [item.code for item in result.warnings if item.effect == "guess"] == ["R309"]

    def test_a_contradiction_is_counted(self, folder):
        trec = (
            "1 Q0 b 1 1.0 mine\n1 Q0 a 2 2.0 mine\n2 Q0 c 1 3.0 mine\n2 Q0 d 2 4.0 mine\n2 Q0 e 3 1.0 mine\n"
        )
        outcome = command(folder, trec, "-m", "RR", name="mine.run")
        sentence = "mine: 2 results have a higher score than the result ranked before them (in 2 topics)"
        assert scores(outcome) == [0.75]
        assert sentence in outcome.err
        result = library.evaluate(folder / "mine.run", folder / "gold.qrels", "RR")
        (warning,) = (warning for warning in result.warnings if warning.effect != "none")
        assert (warning.code, warning.run, warning.topics) == ("R303", "mine", 2)

    def test_scores_that_rise_along_the_list_are_reported(self, folder):
        rows = [{"topic": "1", "doc": doc, "score": score} for doc, score in (("a", 0.1), ("b", 0.4))]
        result = library.evaluate({"mine": rows}, GOLD[:2], "RR")
        assert [warning.code for warning in result.warnings] == ["R312"]
        outcome = command(folder, rows, "-m", "RR", "--topics", "run", name="mine.jsonl")
        sentence = "mine: 1 topic lists the lowest score first, but the highest is ranked first; "
        assert f'{sentence}if they are distances, negate them, or call them "distance"' in outcome.err

    def test_a_mapping_of_few_documents_has_no_order_to_contradict(self):
        # {topic: {doc: score}}: two documents are in either order; ten that all rise are not an accident
        assert library.evaluate({"1": {"b": 0.1, "a": 0.4}}, GOLD[:2], "RR").warnings == ()
        run = {"1": {f"x{number}": float(number) for number in range(9)} | {"a": 9.0}}
        codes = [warning.code for warning in library.evaluate(run, GOLD[:2], "RR").warnings]
        assert codes[:1] == ["R312"]

    def test_a_limit_that_cuts_is_counted(self, folder):
        rows = [
            {"topic": "1", "doc": f"x{rank}", "start": 0, "end": 5, "rank": rank} for rank in range(1, 1502)
        ]
        gold = [{"topic": "1", "doc": "x1501", "start": 0, "end": 5}]
        result = library.evaluate({"mine": rows}, gold, ["R@2000", "MAiP"])
        # the limit of INEX cuts the measures of INEX only
        assert result.means["score"].to_list() == [1.0, 0.0]
        (warning,) = (warning for warning in result.warnings if warning.effect != "none")
        sentence = "limit=1500: 1 result past the first 1,500 of a topic not scored, in 1 topic"
        assert (warning.code, warning.sentence, warning.effect) == ("R301", sentence, "guess")
        evaluation = library.evaluate({"mine": rows}, gold, "MAiP", limit=10)
        assert [(item.code, item.effect) for item in evaluation.warnings][:1] == [("S105", "none")]
        (folder / "gold.jsonl").write_text(lines(*gold))
        (folder / "mine.jsonl").write_text(lines(*rows))
        outcome = doxel("evaluate", "-a", folder / "gold.jsonl", "-m", "MAiP", folder / "mine.jsonl")
        assert f"mine: {sentence} [R301]" in outcome.err


class TestSpansBeyondTheDocument:
    TEXTS = {"a": "0123456789"}  # noqa: RUF012 -- not changed
    GOLD = ({"topic": "1", "doc": "a", "start": 0, "end": 10},)
    RUN = ({"topic": "1", "doc": "a", "start": 0, "end": 1000},)
    SENTENCE = (
        "mine: 1 result ends after the end of its document; its characters beyond it count as not relevant"
    )

    def test_they_are_counted(self, tmp_path):
        result = library.evaluate(
            {"mine": list(self.RUN)}, list(self.GOLD), "char_prec", collection=self.TEXTS
        )
        assert result.means["score"].to_list() == [0.01]
        (warning,) = result.warnings
        assert (warning, warning.code, warning.topics) == (self.SENTENCE, "R103", 1)
        (tmp_path / "texts").mkdir()
        (tmp_path / "texts" / "a.txt").write_text(self.TEXTS["a"])
        library.ingest([str(tmp_path / "texts")], str(tmp_path / "c.doxel"))
        (tmp_path / "gold.jsonl").write_text(lines(*self.GOLD))
        (tmp_path / "mine.jsonl").write_text(lines(*self.RUN))
        arguments = ("-a", tmp_path / "gold.jsonl", "-c", tmp_path / "c.doxel", "-m", "char_prec")
        outcome = doxel("evaluate", *arguments, tmp_path / "mine.jsonl")
        assert outcome.status == 0
        assert f"doxel: {self.SENTENCE} [R103]" in outcome.err
        outcome = doxel("evaluate", *arguments, "--silence", "R103", tmp_path / "mine.jsonl")
        assert (outcome.status, outcome.err) == (0, "")
        outcome = doxel("evaluate", *arguments, "--no-guessing", tmp_path / "mine.jsonl")
        assert (outcome.status, outcome.out) == (1, "")
        assert "mine: no score without guessing: 1 result ends after the end of its document" in outcome.err
        content = json.loads(doxel("evaluate", *arguments, "-f", "json", tmp_path / "mine.jsonl").out)
        assert content["schema"] == 2
        assert content["warnings"] == [warning.to_dict()]


class TestOtherIds:
    RUN = ({"topic": "1", "doc": "texts/a.txt"}, {"topic": "2", "doc": "texts/c.txt"})

    def test_ids_that_never_match_are_an_error_with_ids_of_both_sides(self, folder):
        sentence = "none of its documents is in the assessments: the run has texts/a.txt, texts/c.txt, "
        outcome = command(folder, self.RUN, "-m", "RR")
        assert (outcome.status, outcome.out) == (1, "")
        assert (
            f"doxel: mine: {sentence}the assessments have a, b, c; without folder and ending" in outcome.err
        )
        outcome = command(folder, self.RUN, "-m", "RR", "--on-mismatch", "score")
        assert (outcome.status, scores(outcome)) == (0, [0.0])
        assert "[R406]" in outcome.err

    def test_paths_in_plain_data_are_matched(self):
        stems = [{**row, "doc": row["doc"][6:7]} for row in self.RUN]
        expected, scores = (library.evaluate(run, GOLD, "RR").scores for run in (stems, list(self.RUN)))
        assert scores.equals(expected)
        assert scores["score"].max() == 1

    def test_other_runs_are_scored(self, folder):
        (folder / "good.jsonl").write_text(lines({"topic": "1", "doc": "a"}))
        outcome = command(folder, self.RUN, "-m", "RR", folder / "good.jsonl")
        assert outcome.status == 1
        assert scores(outcome) == [0.5]
        assert outcome.messages[0].startswith("doxel: mine: skipped: none of its documents")


def test_right_runs_of_the_bundled_campaign_have_no_warning_that_is_a_guess(demo):
    runs = [str(run) for run in demo.runs if run.stem != "focused-invalid"]
    result = library.evaluate(runs, str(demo.assessments["qrels"]), collection=demo.collection)
    guesses = [warning for warning in result.warnings if warning.effect != "none"]
    # without a declared task iP and MAiP score the entry points as text, and give them 0
    assert [(warning.code, warning.run) for warning in guesses] == [("S127", "bm25-entry")]


def test_real_runs_have_no_warning_that_is_a_guess(shared_data):
    folder = shared_data / "inex-adhoc-2009-2010"
    runs = sorted(str(path) for path in folder.glob("*.run.gz"))
    result = library.evaluate(runs, str(folder / "inex-adhoc-2009-2010.qrels"), ["MAiP", "char_rec@5"])
    assert {warning.code for warning in result.warnings} <= {"R402", "S110", "S121", "S122"}


class TestMappings:
    """A mapping by topic is one run, and a mapping without runs is an error."""

    def test_rows_that_name_the_topic_they_are_listed_under_are_one_run(self):
        run = {"1": [{"topic": 1, "doc": "b"}, {"topic": 1, "doc": "a"}], "2": [{"topic": "2", "doc": "c"}]}
        result = library.evaluate(run, GOLD, "RR")
        assert result.scores.select("run", "score").rows() == [("run", 0.5), ("run", 1.0)]

    def test_rows_of_other_topics_are_runs_by_name(self):
        rows = [{"topic": "1", "doc": "a"}, {"topic": "2", "doc": "c"}]
        assert library.evaluate({"1": rows, "2": rows}, GOLD, "RR").means["run"].to_list() == ["1", "2"]

    @pytest.mark.parametrize("runs", [{}, [], ()])
    def test_no_run_is_an_error(self, runs):
        with pytest.raises(InputError, match="wanted at least one run"):
            library.evaluate(runs, GOLD, "RR")
        with pytest.raises(InputError, match="wanted at least one run"):
            library.evaluate(runs, GOLD, "map", compat="trec_eval")

    @pytest.mark.parametrize("runs", [{"mine": []}, {"1": [], "2": []}, {"1": {}, "2": {}}])
    def test_a_run_without_results_scores_0_with_a_warning(self, runs):
        with pytest.warns(DoxelWarning, match="the run has no results; every assessed topic"):
            result = library.evaluate(runs, GOLD, "RR")
        assert result.means.select("score", "topics").rows() == [(0, 2)]
        with pytest.raises(InputError, match="no score without guessing"):
            library.evaluate(runs, GOLD, "RR", no_guessing=True)


class TestTextMeasuresOnGradesOfDocuments:
    """Grades of documents mark no text, so that a measure of text has nothing to find."""

    RUN = ({"topic": "1", "doc": "a", "start": 0, "end": 5},)

    def test_they_are_refused_with_the_measures_that_fit(self, folder):
        message = "wanted relevant text for this measure, or a measure of documents: AP, nDCG, P, R, RR"
        with pytest.raises(InputError, match=message):
            library.evaluate(list(self.RUN), GOLD, ["char_rec", "MAiP"])
        outcome = command(folder, self.RUN, "-m", "char_rec")
        assert outcome.status == 2
        assert message in outcome.err

    def test_other_measures_are_scored(self, folder):
        outcome = command(folder, self.RUN, "-m", "char_rec,RR")
        assert outcome.status == 1
        assert scores(outcome) == [0.5]  # the first of two topics
        assert "char_rec not computed: assessments: wanted relevant text" in outcome.err


class TestDeclaredSizes:
    """Without a collection the sizes in the assessments show that a span ends after its document."""

    def test_a_span_after_the_declared_end_is_counted(self, tmp_path):
        (tmp_path / "fol.qrels").write_text("1 Q0 a 10 50 40 40:10\n")
        (tmp_path / "mine.run").write_text("1 Q0 a 1 0.9 mine 40 460\n")
        result = library.evaluate([str(tmp_path / "mine.run")], str(tmp_path / "fol.qrels"), "char_prec")
        assert result.means["score"].to_list() == [10 / 460]
        assert [(warning.code, warning.topics) for warning in result.warnings] == [("R103", 1)]
        outcome = doxel("evaluate", "-a", tmp_path / "fol.qrels", "-m", "char_prec", tmp_path / "mine.run")
        assert f"doxel: {TestSpansBeyondTheDocument.SENTENCE} [R103]" in outcome.err

    def test_a_span_up_to_the_declared_end_is_right(self, tmp_path):
        (tmp_path / "fol.qrels").write_text("1 Q0 a 10 50 40 40:10\n")
        result = library.evaluate([("1", "a", 40, 50)], str(tmp_path / "fol.qrels"), "char_prec")
        assert result.warnings == ()


class TestOffsetsThatContradictTheText:
    TEXTS = {"a": "The quick brown fox jumps over the lazy dog."}  # noqa: RUF012 -- not changed
    GOLD = ({"topic": "1", "doc": "a", "start": 20, "end": 30},)
    RUN = ({"topic": "1", "doc": "a", "start": 0, "end": 10, "text": "jumps over"},)

    def test_the_text_counts_with_a_warning(self, tmp_path):
        result = library.evaluate(
            {"mine": list(self.RUN)}, list(self.GOLD), "char_prec", collection=self.TEXTS
        )
        assert result.means["score"].to_list() == [1.0]
        (warning,) = result.warnings
        assert (warning.code, warning.effect, warning.topics) == ("R108", "guess", 1)
        assert "R108 mine: 1 text differs from the document at its offsets" in repr(result)
        (tmp_path / "a.txt").write_text(self.TEXTS["a"])
        library.ingest([str(tmp_path / "a.txt")], str(tmp_path / "c.doxel"))
        (tmp_path / "gold.jsonl").write_text(lines(*self.GOLD))
        (tmp_path / "mine.jsonl").write_text(lines(*self.RUN))
        arguments = ("-a", tmp_path / "gold.jsonl", "-c", tmp_path / "c.doxel", "-m", "char_prec")
        outcome = doxel("evaluate", *arguments, tmp_path / "mine.jsonl")
        assert f"doxel: {warning} [R108]" in outcome.messages
        assert doxel("evaluate", *arguments, "--no-guessing", tmp_path / "mine.jsonl").status == 1


class TestUnequalTopics:
    """Means over different topics have a note beside the table, in every format."""

    SENTENCE = "the means are over different topics, 1 to 2 per run (part 1, full 2), and are not comparable"

    @pytest.fixture
    def call(self, folder):
        (folder / "part.run").write_text("1 Q0 a 1 0.9 part\n")
        (folder / "full.run").write_text("1 Q0 a 1 0.9 full\n2 Q0 c 1 0.9 full\n")
        runs = (folder / "part.run", folder / "full.run")
        return lambda command, *options: doxel(command, "-a", folder / "gold.qrels", *options, *runs)

    @pytest.mark.parametrize("layout", ["table", "tsv", "csv", "json", "latex", "trec"])
    def test_every_format_has_the_warning(self, call, layout):
        outcome = call("evaluate", "-m", "RR", "--topics", "run", "-f", layout)
        assert outcome.status == 0
        assert f"{self.SENTENCE}; --topics assessed" in outcome.messages[0]
        assert outcome.messages[0].endswith("[S117]")
        if layout in {"json", "latex"}:
            assert self.SENTENCE in outcome.out
        assert self.SENTENCE not in call("evaluate", "-m", "RR", "-f", layout).err

    def test_python_warns(self):
        runs = {
            "part": [{"topic": "1", "doc": "a"}],
            "full": [{"topic": "1", "doc": "a"}, {"topic": "2", "doc": "c"}],
        }
        with pytest.warns(library.DoxelWarning, match="the means are over different topics"):
            result = library.evaluate(runs, GOLD, "RR", topics="run")
        assert [(warning.code, warning.effect) for warning in result.warnings] == [("S117", "guess")]
        with pytest.raises(InputError, match=r"no score without guessing: the means .*\[S117\]"):
            library.evaluate(runs, GOLD, "RR", topics="run", no_guessing=True, on_error="skip")

    def test_a_comparison_is_over_shared_topics_and_needs_no_warning(self, call):
        outcome = call("compare", "-m", "RR", "--topics", "run", "-f", "json")
        (comparison,) = json.loads(outcome.out)
        assert (comparison["settings"]["topics"], comparison["settings"]["topics left out"]) == (1, 1)
        assert (comparison["schema"], comparison["warnings"], outcome.err) == (2, [], "")


class TestOtherTools:
    """The figures of trec_eval have the same warnings; with on_error skip, refused runs are listed."""

    def test_scores_that_rise_along_the_list_are_reported(self):
        rows = [{"topic": "1", "doc": "a", "score": 0.1}, {"topic": "1", "doc": "b", "score": 0.7}]
        result = library.evaluate(rows, GOLD[:2], "recip_rank", compat="trec_eval")
        assert result.means["score"].to_list() == [0.5]
        assert [warning.code for warning in result.warnings] == ["R312"]

    def test_other_ids_are_reported(self, folder):
        outcome = command(
            folder, "1 Q0 x/a 1 0.9 mine\n", "--compat", "trec_eval", "-m", "map", name="mine.run"
        )
        assert (outcome.status, scores(outcome)) == (0, [0.0])
        assert "mine: none of its documents is in the assessments" in outcome.err
        assert "[R406]" in outcome.err
        refused = command(
            folder, "1 Q0 x/a 1 0.9 mine\n", "--compat", "trec_eval", "--no-guessing", name="mine.run"
        )
        assert (refused.status, refused.out) == (1, "")
        silenced = command(
            folder, "1 Q0 x/a 1 0.9 mine\n", "--compat", "trec_eval", "--silence", "R406", name="mine.run"
        )
        assert (silenced.status, silenced.err) == (0, "")

    def test_a_refused_run_does_not_keep_others_from_being_scored(self):
        runs = {
            "mine": [{"topic": "1", "doc": "x/a", "score": 1}],
            "good": [{"topic": "1", "doc": "a", "score": 1}],
        }
        result = library.evaluate(
            runs, GOLD[:2], "map", compat="trec_eval", no_guessing=True, on_error="skip"
        )
        assert result.means.select("run", "score").rows() == [("good", 1.0)]
        assert [(rejection.run, rejection.code) for rejection in result.rejected] == [("mine", "R406")]
        assert [(warning.run, warning.effect) for warning in result.warnings] == [("mine", "refuse")]


def test_tied_scores_are_written_so_that_other_tools_rank_alike(folder):
    (folder / "tied.run").write_text("1 Q0 a 1 0.5 tied\n1 Q0 b 2 0.5 tied\n2 Q0 c 1 0.5 tied\n")
    assert doxel("convert", "--to", "trec", folder / "tied.run", folder / "out.run").status == 0
    rows = [line.split() for line in (folder / "out.run").read_text().splitlines()]
    assert [(row[2], float(row[4])) for row in rows[:2]] == [("a", 1.0), ("b", 0.5)]
    reread = library.evaluate([str(folder / "out.run")], GOLD, "recip_rank", compat="trec_eval")
    assert reread.means["score"].to_list() == [1.0]  # with the tied scores trec_eval ranks b before a


def test_a_report_lists_the_warnings_of_its_scores_with_their_codes(folder, tmp_path):
    (folder / "mine.run").write_text("1 Q0 b 1 0.1 mine\n1 Q0 a 2 0.9 mine\n2 Q0 c 1 0.5 mine\n")
    (folder / "other.run").write_text("1 Q0 a 1 0.9 other\n2 Q0 c 1 0.5 other\n")
    runs = (folder / "mine.run", folder / "other.run")
    outcome = doxel("report", "-a", folder / "gold.qrels", "-m", "RR", "-o", tmp_path / "report", *runs)
    assert outcome.status == 0
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "R303" in page
    assert "1 result has a higher score than the result ranked before it" in page


def test_quoted_gold_without_documents_is_an_error_not_a_topic_with_nothing_to_find(folder):
    rows = [{"topic": "1", "doc": "a", "text": "ripe apples"}]
    with pytest.raises(InputError, match=r"1 relevant passage is quoted: wanted a collection"):
        library.evaluate([("1", "a", 0, 5)], rows, "char_rec")
    (folder / "gold.jsonl").write_text('{"topic": "1", "doc": "a", "text": "ripe apples"}\n')
    (folder / "mine.jsonl").write_text('{"topic": "1", "doc": "a", "start": 0, "end": 5}\n')
    outcome = doxel("evaluate", "-a", folder / "gold.jsonl", "-m", "char_rec", folder / "mine.jsonl")
    assert outcome.status == 2
    assert "wanted a collection (-c" in outcome.err


MISSING = float("nan")  # as pandas has it


@pytest.mark.parametrize("shape", ["rows", "columns"])
def test_a_missing_text_is_not_the_word_nan(shape):
    rows = [{"question": "q", "content": "ripe apples"}, {"question": "q", "content": MISSING}]
    columns = {"question": ["q", "q"], "content": ["ripe apples", MISSING]}
    with pytest.raises(InputError, match="wanted a doc or a text in every row, found 1 row with neither"):
        library.evaluate(
            rows if shape == "rows" else columns,
            [{"question": "q", "text": "ripe apples"}],
            "char_prec",
            collection={"a": "ripe apples, nan and NaN"},
        )


LID = {"a.md": "Switch it off first. Then remove the lid. The lid is hot."}
LID_GOLD = {"q": ["Then remove the lid."]}


class TestTextsUnderUnknownNames:
    """A table whose column of texts is called by a name that doxel does not know."""

    ROW = ("question", "q"), ("source", "a.md"), ("body", "remove the lid")

    def evaluate(self, **columns):
        table = pl.DataFrame({"question": ["q"], "source": ["a.md"], **columns})
        result = library.evaluate(table, LID_GOLD, "char_rec", collection=LID)
        return result.scores["score"][0], [warning.code for warning in result.warnings]

    def test_the_score_of_whole_documents_carries_a_warning(self):
        assert self.evaluate(body=["remove the lid"]) == (1, ["S126"])
        assert self.evaluate(content=["remove the lid"]) == (0.7, [])  # 14 of 20 characters
        assert self.evaluate(system=["bm25"], title=[None]) == (1, [])

    def test_it_is_a_guess(self):
        with pytest.raises(InputError, match=r"no score without guessing.*'body' was not read"):
            library.evaluate([dict(self.ROW)], LID_GOLD, "char_rec", collection=LID, no_guessing=True)

    def test_grades_of_documents_need_no_texts(self):
        assert library.evaluate([dict(self.ROW)], {"q": {"a.md": 1}}, "RR").warnings == ()

    def test_json_lines_carry_it_too(self, tmp_path):
        (tmp_path / "a.md").write_text(LID["a.md"])
        (tmp_path / "gold.jsonl").write_text(lines({"topic": "q", "doc": "a", "start": 0, "end": 9}))
        (tmp_path / "run.jsonl").write_text(lines(dict(self.ROW)))
        collection = tmp_path / "c.doxel"
        assert doxel("ingest", tmp_path / "a.md", "-o", collection).status == 0
        data = "-a", tmp_path / "gold.jsonl", "-c", collection
        outcome = doxel("evaluate", *data, "-m", "char_rec", tmp_path / "run.jsonl")
        assert "'body' was not read: if it is the text, call it 'text' [S126]" in outcome.err
