# SPDX-License-Identifier: MIT
"""Prints what the installed package offers, for ci/parity: a kind, a name, and how Python calls it.

Names are taken from the package as it is imported, not from its sources.
"""
import inspect

import flakecore
import flakecore.testing
from flakecore import _config, _health, errors


def public_names(module, prefix=""):
    """Each public name, the members of each class, and the parameters of its call."""
    for name in module.__all__:
        thing = getattr(module, name)
        yield prefix + name
        if not inspect.isclass(thing):
            continue
        members = set(dir(thing)) | set(getattr(thing, "__dataclass_fields__", ()))
        yield from (f"{prefix}{name}.{member}" for member in sorted(members))
        if not issubclass(thing, (BaseException, str)):
            yield from (f"{prefix}{name}().{p}" for p in inspect.signature(thing).parameters)


def values():
    """The words that stand for the core's enumerators."""
    for prefix, words in [("CLASS", errors.KINDS), ("FORMAT", flakecore.FORMATS),
                          ("MODE", _config.MODES), ("CLOCK", _config.CLOCK_SOURCES),
                          ("GUARD", _config.HOST_GUARDS), ("LEVEL", _health.LEVELS),
                          ("REASON", flakecore.REASONS)]:
        for word in words:
            yield f"FLAKE_{prefix}_{word.upper()}", word


def main():
    for name in [*public_names(flakecore), *public_names(flakecore.testing, "testing."),
                 "__version__"]:
        print("name", name, name, sep="\t")
    for base in (flakecore.CallerError, flakecore.RetryError, flakecore.OperatorError):
        for kind in base.__subclasses__():
            print("status", kind.name, kind.__name__, sep="\t")
    for name, word in values():
        print("value", name, word, sep="\t")


if __name__ == "__main__":
    main()
