"""The checks that only scoring can make: their codes begin with S, and the evaluation reports them."""

from __future__ import annotations

from typing import Any

from doxel.checks.check_declaration import Check

__all__ = ["LACKING_DATA", "SCORE_CHECKS"]

LACKING_DATA = "S116"
"""The code of rejections by measures that need missing data."""

SCORE_CHECKS: tuple[Check[Any], ...] = (
    Check(
        "S101",
        "note",
        "no measure given",
        "The measures are the set that suits the assessments and the task of the run.",
        "Name the measures with -m.",
    ),
    Check(
        "S102",
        "note",
        "topic with nothing to find",
        "Nothing that the measure could find was assessed for the topic: its score is undefined and left out "
        "of the mean.",
        "Nothing to do: mention the number of topics with the mean.",
    ),
    Check(
        "S103",
        "note",
        "infinite score",
        "The run never reaches the point that the measure looks for, such as a share of the relevant text.  "
        "The score is left out of the mean.",
        "Mention the number of topics with the mean, or choose a measure that is bounded.",
    ),
    Check(
        "S104",
        "note",
        "topic without a score",
        "There is something to find, but the measure is not defined for the topic.",
        "Read the reason in the message.",
    ),
    Check(
        "S105",
        "note",
        "results past the requested limit",
        "The run is longer than the limit that was requested; the other results are not scored.",
        "Nothing to do, or raise the limit.",
    ),
    Check(
        "S106",
        "note",
        "near miss as good as its target",
        "The user model reaches the target from a near miss with probability 1.",
        "Choose a lower probability if the target itself should earn more.",
    ),
    Check(
        "S107",
        "note",
        "passages without grades",
        "The measure takes its gains from grades, which only elements have: a passage gains nothing.",
        "Choose a quantisation by specificity, or a measure of characters.",
    ),
    Check(
        "S108",
        "note",
        "gains from bare spans",
        "The documents have no elements, so the gold spans themselves are the targets.",
        "Nothing to do: parameters about elements have no effect.",
    ),
    Check(
        "S109",
        "note",
        "run repaired",
        "The run did not meet a requirement of the measure, and was repaired because of --on-invalid repair.",
        "Mention the repair with the scores.",
    ),
    Check(
        "S110",
        "note",
        "overlap in a focused run",
        "The focused task allows no overlap, but the measure can be computed.",
        "Keep the better-ranked of two overlapping results.",
    ),
    Check(
        "S111",
        "note",
        "structure as declared or requested",
        "The structure of the topics' queries decides which results and which relevant text count.",
        "Nothing to do if this interpretation is meant; --structure sets another one.",
    ),
    Check(
        "S112",
        "warning",
        "declared structure not applied",
        "The run declares a sub-task with structure, but is scored without it.",
        "Pass the topics with -t and the collection with -c.",
        effect="guess",
    ),
    Check(
        "S113",
        "warning",
        "no document judged for its topic",
        "The documents of the run are known, but none was judged for the topic that retrieved it: all scores "
        "are 0.",
        "Check the topic ids; otherwise the run found nothing that was judged.",
        effect="guess",
    ),
    Check(
        "S114",
        "note",
        "remark on another tool's rules",
        "The figures of another tool were requested, and its rules treat part of the input differently from "
        "doxel.",
        "Read the reason in the message.",
    ),
    Check(
        "S115",
        "note",
        "warnings of several evaluations",
        "A study evaluates the runs many times, and these evaluations have warnings.",
        "Read the table of the study that lists them.",
    ),
    Check(
        LACKING_DATA,
        "error",
        "measure that lacks data",
        "The measure needs data that are missing, such as the collection.  Other measures are computed.",
        "Pass the data that the message names.",
        effect="refuse",
    ),
    Check(
        "S117",
        "warning",
        "means over different topics",
        "With --topics run each mean is over the topics of its run, and the runs answer different topics: "
        "the means are not comparable.",
        "Use --topics assessed, or compare runs on the topics that all of them answer (doxel compare).",
        effect="guess",
    ),
    Check(
        "S118",
        "warning",
        "recall known only within bounds",
        "Some texts occur at several places, and the first place was taken.  The recall may be anything from "
        "the lower figure, without these texts, to the higher one, with all their places.  If R106 is "
        "silenced, the first places are accepted, and this is a note.",
        "Add start and end to the results.  Their documents are enough if none of them has the text twice.",
        effect="guess",
    ),
    Check(
        "S119",
        "note",
        "topics that no run answered",
        "These topics count as ties between all runs, and move means and differences towards the score of an "
        "empty list.",
        "Use --topics run to leave them out, or mention their number.",
    ),
    Check(
        "S120",
        "note",
        "no Friedman test",
        "The test of all runs together cannot be computed.",
        "Read the reason in the message.",
    ),
    Check(
        "S121",
        "note",
        "text in unjudged documents",
        "Documents that the assessments do not name for a topic count as not relevant, although nobody "
        "judged them.  The note gives the share of the retrieved characters, or results, that are in judged "
        "documents.",
        "Use --residual to see how far scores could rise, --unjudged remove to leave such results out, and "
        "'doxel pool --next' to list what to judge.",
    ),
    Check(
        "S122",
        "note",
        "no document judged non-relevant",
        "The assessments list relevant documents only, as the qrels of INEX and most gold data for chunks "
        "do.  Documents that were judged not relevant cannot be distinguished from unjudged ones.",
        "Nothing to do; if the judged documents are known, list those without relevant text as well.",
    ),
    Check(
        "S123",
        "note",
        "results in unjudged documents removed",
        "The results in documents that were not judged for their topic are left out because of "
        "--unjudged remove, and later results move up.",
        "Mention their number with the scores.",
    ),
    Check(
        "S124",
        "note",
        "residuals that assume much",
        "No document is judged non-relevant, so that residuals take all text of unlisted documents as "
        "unjudged.",
        "Read residuals as a limit that is far too high.",
    ),
    Check(
        "S125",
        "note",
        "topics judged by several assessors",
        "Further judgements of the same topics were given; the lowest and highest score over the assessors "
        "are shown beside the scores.",
        "Nothing to do.",
    ),
    Check(
        "S126",
        "warning",
        "whole documents beside texts that were not read",
        "No result has offsets, a path or a text, so that each counts as its whole document.  But the run "
        "has a column of texts under a name that doxel does not know, which may be the retrieved text.",
        "Call the column 'text', or leave it out if whole documents are meant.",
        effect="guess",
    ),
    Check(
        "S127",
        "warning",
        "entry points scored as text",
        "All results of the run are entry points: a place to start reading, with no characters or one. "
        "A measure of retrieved text gives them 0, or nearly so, however good they are.",
        "Score entry points with BEPD, EPRUM(model=bep_distance) or MAgP(score=bep); if the results are "
        "passages, give their ends or lengths.",
        effect="guess",
    ),
    Check(
        "S128",
        "note",
        "empty results",
        "Some results end where they start, so that they retrieve no characters.  They keep their ranks.",
        "If they are passages, give their ends or lengths.",
    ),
)
"""The checks that only scoring can make."""
