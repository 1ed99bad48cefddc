"""The exam's own questions, for topics of which a lesson has too few that can be asked with fresh numbers."""
