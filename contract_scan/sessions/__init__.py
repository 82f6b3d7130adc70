"""Sessions of agents: started, watched and ended, with their state in plain files."""
