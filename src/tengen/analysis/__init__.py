"""The analysis engine: its protocol, its scheduler and its servers."""
