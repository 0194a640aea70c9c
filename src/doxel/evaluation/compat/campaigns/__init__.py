"""The official figures of living campaigns, each computed in its own file as its program computes them.

*campaign_scorers* lists them with their sets and evaluates runs.  Two programs have faults of their own and
must be requested with ``--compat``: BioASQ's and LoCoMo's.
"""
