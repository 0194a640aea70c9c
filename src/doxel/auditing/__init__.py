"""Test scorers against laws: random cases, the laws, the scorers, the search for counterexamples, the report.

How data flows through this room:

1. *audit_cases* draws random cases, which *case_files* converts to doxel's tables and to files.
2. *laws* changes the cases, and *scorers* or *command_scorer* scores them before and after the change.
3. *auditor* compares the scores and searches for the smallest counterexample of each broken law.
4. *audit_reports* formats the outcome.
"""
