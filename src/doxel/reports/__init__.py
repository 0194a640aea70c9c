"""Reports: tables, curves and pages from results; computes nothing but layout."""
