"""The figures of EvalJ, the evaluation tool of INEX 2005 and 2006."""
