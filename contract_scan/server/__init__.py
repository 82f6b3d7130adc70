"""The language server: what a scan says, in an editor.

`app` speaks the protocol, everything else knows no more of it than its types. Scans run in one
worker thread (`schedule`, `work`); answers are made from the last one that ended.
"""
