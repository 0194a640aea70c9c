"""Checks: find errors and doubtful places in runs, topics and assessments before scoring.

How data flows through this room:

1. :mod:`~doxel.checks.checker` reads the files, one run at a time; a file that cannot be read becomes a
   finding.
2. Runs, topics and assessments become subjects (:mod:`~doxel.checks.check_subjects`), resolved in the
   collection if there is one.
3. Every check of :mod:`~doxel.checks.check_table` looks for one kind of finding in a subject.  The checks
   are declared (:mod:`~doxel.checks.check_declaration`) in :mod:`~doxel.checks.source_checks`,
   :mod:`~doxel.checks.run_place_checks`, :mod:`~doxel.checks.run_task_checks`,
   :mod:`~doxel.checks.run_ranking_checks`, :mod:`~doxel.checks.assessment_place_checks` and
   :mod:`~doxel.checks.assessment_grade_checks`.
4. The findings are grouped in a ``Report``, the most serious first.
"""
