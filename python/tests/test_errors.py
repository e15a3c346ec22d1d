# SPDX-License-Identifier: MIT
"""Each status has exactly one exception, under the base of its class."""
import pickle

import pytest

import flakecore
from flakecore import CallerError, FlakeError, OperatorError, RetryError, errors
from flakecore._native import ffi, lib

CODES = range(-1, lib.FLAKE_STATUS_END, -1)
BASES = {
    lib.FLAKE_CLASS_CALLER: CallerError,
    lib.FLAKE_CLASS_RETRY: RetryError,
    lib.FLAKE_CLASS_OPERATOR: OperatorError,
}


def text(chars):
    return ffi.string(chars).decode()


@pytest.mark.parametrize("code", CODES)
def test_a_status_has_one_exception_with_its_name_class_and_sentence(code):
    error = errors.error_of(code)
    assert type(error) is not FlakeError
    assert (error.code, error.name) == (code, text(lib.flake_status_name(code)))
    assert str(error) == text(lib.flake_status_text(code)) == str(type(error)())
    assert isinstance(error, BASES[lib.flake_status_class(code)])
    assert BASES[lib.flake_status_class(code)].__name__.lower() == error.kind + "error"
    kinds = [kind for base in BASES.values() for kind in base.__subclasses__()]
    assert [kind.code for kind in kinds].count(code) == 1
    camel = "".join(word.capitalize() for word in error.name.split("_"))
    assert type(error).__name__ == f"{camel}Error"
    assert getattr(flakecore, type(error).__name__) is type(error)


@pytest.mark.parametrize("code", [lib.FLAKE_STATUS_END, -4095, -(2**63)])
def test_an_unknown_code_is_the_base_error(code):
    error = errors.error_of(code)
    assert type(error) is FlakeError
    assert (error.code, error.name) == (code, "unknown")
    assert "newer than the program" in str(error) and error.kind == "operator"


def test_errors_survive_pickling():
    for error in (errors.error_of(-6), errors.error_of(-6, "why"), errors.error_of(-999, "why")):
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), str(copy), copy.code, copy.name) == (
            type(error), str(error), error.code, error.name)


def test_wrong_values_are_also_the_errors_of_python():
    assert issubclass(flakecore.InvalidArgumentError, ValueError)
    assert issubclass(flakecore.ArgumentTypeError, TypeError)
    assert issubclass(flakecore.ArgumentTypeError, flakecore.InvalidArgumentError)


def test_all_public_names_are_there():
    assert all(hasattr(flakecore, name) for name in flakecore.__all__)
    assert sorted(flakecore.__all__) == list(flakecore.__all__)
