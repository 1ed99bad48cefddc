"""Topic "puzzles": a target is drawn, and something is built that meets it."""
