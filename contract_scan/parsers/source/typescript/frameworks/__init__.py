"""The libraries that are read, a file or a folder each; `registry` lists them."""
