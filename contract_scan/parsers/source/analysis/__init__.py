"""Semantic analysis: facts of all files -> what names, expressions and types mean.

In layers, of which each imports those below it only (an import contract holds it):
`session` > `evaluation` > `names` > `refinement` > `typing` > `dataflow` > `syntax` > `domain`.
What a lower layer asks of a higher one goes through the protocols of `domain/program.py`;
`session.Session` puts all of them together.
"""
