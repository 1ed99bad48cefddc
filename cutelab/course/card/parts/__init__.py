"""Parts that the cards of several topics are built from."""
