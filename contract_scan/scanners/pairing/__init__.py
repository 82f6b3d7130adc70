"""Which part of the code stands for which promise of a contract."""
