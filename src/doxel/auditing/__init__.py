"""Test scorers against laws: random cases, the laws, the scorers, the search for counterexamples, the report.

The way of an audit: audit_cases > laws > a scorer (command_scorer, or one of library_scorers) > auditor >
audit_reports.
"""
