"""The builder: drives agents, feeds scans with contracts and acts on what they find."""
