"""Floor 3: one file a topic, from parameters to plain panels. Needs numpy only."""
