"""The figures of other evaluation tools; *other_tool* chooses the evaluator.

- EvalJ: *evalj_configuration* reads its configuration files, *evalj_runner* scores the runs with doxel's
  measures, and *evalj_recall_base* caches the full recall base in a file.
- inex_eval 3.1: *inex_eval_data* prepares assessments and results, *inex_eval_figures* computes the figures
  digit for digit, and *inex_eval_tool* evaluates a run and prints the tool's output.  This evaluator is
  independent of doxel's measures, so that results published with the tool can be checked.
- trec_eval 10: *trec_eval_measures* has its measures and the parser of their names, *trec_eval_figures*
  computes the figures of topics, and *trec_eval_tool* evaluates runs and prints the tool's output.
"""
