"""Follow-up questions about an evaluation.

How data flows through this package:

1. *findings* scores runs for a report and gives access to the answers below.
2. *run_comparison* compares runs and measures; *run_overlap* finds the results that runs share;
   *mean_curves* averages curves over topics.
3. *shown_documents* chooses topics and documents to show, with text, highlights and results.
"""
