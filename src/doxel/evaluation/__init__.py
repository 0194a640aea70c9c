"""Evaluation of runs: runs x topics x measures, in one tidy table.

How data flows through this room:

1. *evaluator* takes the arguments of ``doxel.evaluate``.  The modules of *inputs* convert files, objects and
   plain data to runs and assessments, check the options, and expand sets of measures.  A *scoring_job* reads
   and scores the runs, in this process or in others.
2. *recall_bases* holds the elements, gains and ideal recall bases of all topics; all runs share it.
3. *ranked_run* lays out one run as arrays; *novelty* finds the text that no earlier result contains.
4. *run_scorer* scores the run.  *run_requirements* rejects or repairs a run that violates a measure's
   requirements; the modules of *views* build the arrays that a measure is computed from.
5. *evaluation_result* holds the scores of all runs, with the warnings of *evaluation_warnings*;
   *score_explanation* explains a score, rank by rank.
6. The modules of *analysis* answer follow-up questions: comparison, overlap, curves, documents to show.

*compat* computes the figures of other tools (EvalJ, inex_eval and trec_eval).
"""

from doxel.evaluation.evaluation_result import Evaluation, Rejection
from doxel.evaluation.evaluator import evaluate

__all__ = ["Evaluation", "Rejection", "evaluate"]
