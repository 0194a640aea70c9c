"""The figures of inex_eval 3.1, the official tool of INEX 2010."""
