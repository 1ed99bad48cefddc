"""A card: what a picture shows as plain data, its knobs, its parts, its pixels."""
