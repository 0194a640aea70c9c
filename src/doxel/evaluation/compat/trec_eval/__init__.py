"""The figures of trec_eval 10, the tool of TREC for whole documents."""
