"""An index of code: symbols, who calls them, what imports what; made of the engine's facts."""
