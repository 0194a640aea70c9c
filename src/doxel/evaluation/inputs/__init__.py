"""The inputs of an evaluation: runs, assessments, options, measures and custom functions.

How data flows through this package:

1. *input_tables* converts runs and assessments from files, objects or plain data; *chunk_tables* converts
   the chunks of retrieval libraries.
2. *evaluation_options* checks the options; *measure_sets* expands names of measures and sets.
3. *requested_structure* reduces the assessments to the parts that match the topics' queries.
4. *custom_functions* loads and calls custom user models; *token_counts* counts tokens and words.
"""
