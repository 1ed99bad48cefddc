"""Topic "composition": the questions of its lesson. Its pictures are those of topic "algebra"."""
