"""Facts of all files -> what names, expressions and types mean.

`Program` is the door; `names` looks names up, `flow` says which assignments reach a place,
`evaluate` and the levels below it (see `texts`) interpret expressions, `types` turns types and
values into schemas.
"""
