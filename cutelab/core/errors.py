"""The one exception that a user of cutelab meets."""


class CuteLabError(ValueError):
    """Bad input. The text says which rule broke, with which value, and what would work.

    >>> raise CuteLabError("shape must be positive, got 0; use 1 or more")
    Traceback (most recent call last):
    ...
    cutelab.core.errors.CuteLabError: shape must be positive, got 0; use 1 or more
    """

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook: the sentence alone, no traceback."""
        return [f"{type(self).__name__}: {self}"]
