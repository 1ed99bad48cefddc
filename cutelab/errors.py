"""The one exception that a user of cutelab meets."""


class CuteLabError(ValueError):
    """Bad input. The text says which rule broke, with which value, and what would work.

    >>> raise CuteLabError("shape must be positive, got 0; use 1 or more")
    Traceback (most recent call last):
    ...
    cutelab.errors.CuteLabError: shape must be positive, got 0; use 1 or more
    """
