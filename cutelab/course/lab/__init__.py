"""The explorer in the notebook, and the lessons' engine."""
