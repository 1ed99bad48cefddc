"""ComposedLayout and parse_layout by the name of their older file; both stand beside Layout now."""

from cutelab.core.layout import ComposedLayout, parse_layout

__all__ = ["ComposedLayout", "parse_layout"]
