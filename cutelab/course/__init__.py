"""The course: pictures, topics, explorers and lessons. Stands on the library, which knows nothing of it."""
