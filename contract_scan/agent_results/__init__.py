"""Results that agents hand back: read, checked, merged and written in one Markdown form."""
