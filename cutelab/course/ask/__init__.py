"""How an answer is read, compared and replied to. Pure logic: no screen, no file."""
