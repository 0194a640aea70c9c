"""The views of a ranked run: the arrays that measures are computed from.

How data flows through this package:

1. *view_builders* finds the builder of a view and passes it the parameters of the measure.
2. *text_view_builders*, *gain_view_builders*, *span_view_builders* and *user_view_builders* build the views.
3. *result_gains* computes the gain of each result for the gain views; *partial_overlap* computes it for
   elements that were partly seen before.
"""
