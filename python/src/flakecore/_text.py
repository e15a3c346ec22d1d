# SPDX-License-Identifier: MIT
"""IDs as text: the formats of the core, and IdStr for whatever travels as JSON."""
from __future__ import annotations

import builtins
from typing import Any, List, SupportsIndex, Tuple, Type, TypeVar

from flakecore._arguments import UINT64_MAX, choice, limited, shown, utf8
from flakecore._native import ffi, lib
from flakecore.errors import ArgumentTypeError, BadTextError, error_of


def _format_names() -> Tuple[str, ...]:
    names: List[str] = []
    while (name := lib.flake_format_name(len(names))) != ffi.NULL:
        names.append(ffi.string(name).decode("ascii"))
    return tuple(names)


#: The names of all text forms: "dec", "hex", "base32", "base58", "base62". All but decimal have a
#: fixed width and sort as text exactly as the IDs do.
FORMATS: Tuple[str, ...] = _format_names()


def encode(id: SupportsIndex, format: str = "dec") -> str:
    """An ID (0..2^64-1) as text. InvalidArgumentError: no such format, or not 64 bits."""
    chars = ffi.new("char[]", lib.FLAKE_TEXT_SIZE)
    bits = limited("id", id, 0, UINT64_MAX)
    length = lib.flake_encode(choice("format", format, FORMATS), bits, chars, lib.FLAKE_TEXT_SIZE)
    if length < 0:
        raise error_of(length)
    return str(ffi.string(chars).decode("ascii"))


def decode_text(text: str, format: str = "dec") -> int:
    """The ID of a text; reads exactly what encode writes.

    BadTextError: anything else, also blanks, signs, the other case, leading zeros in decimal, more
    than 64 bits. InvalidArgumentError: no such format.
    """
    id = ffi.new("uint64_t *")
    given = utf8("text", text)
    status = lib.flake_decode_text(choice("format", format, FORMATS), given, len(given), id)
    if status == lib.FLAKE_E_BAD_TEXT:
        raise BadTextError(f"{shown(text)} is not an ID in the format {format}")
    if status < 0:
        raise error_of(status)
    return int(id[0])


Self = TypeVar("Self", bound="IdStr")


class IdStr(str):
    """An ID as its decimal text: a str that has been checked, for JSON and whatever reads it.

    JavaScript rounds whole numbers above 2^53, so an ID belongs into JSON as a string. IdStr needs
    no encoder: json, dataclasses and Pydantic 2 (as the type of a field) write it as it is. Compare
    and sort by .int: as text, "9" comes after "10".

    IdStr(id) takes an ID (1..2^64-1) or its decimal text.
    InvalidArgumentError: 0 or out of range. BadTextError: not the text of an ID.
    """

    __slots__ = ()

    def __new__(cls: Type[Self], id: Any) -> Self:
        if type(id) is cls:
            return str.__new__(cls, id)
        if not isinstance(id, str):
            return str.__new__(cls, str(limited("id", id, 1, UINT64_MAX)))
        if decode_text(id) == 0:
            raise BadTextError("'0' is not an ID; 0 is never issued")
        return str.__new__(cls, id)

    @property
    def int(self) -> builtins.int:
        """The ID as a number."""
        return builtins.int(str(self))

    def __index__(self) -> builtins.int:
        return builtins.int(str(self))

    def __repr__(self) -> str:
        return f"IdStr({str.__repr__(self)})"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Takes an IdStr, the text of an ID, or a whole number; writes a string."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            cls._of_field, serialization=core_schema.to_string_ser_schema()
        )

    @classmethod
    def _of_field(cls, value: Any) -> IdStr:
        if isinstance(value, (str, builtins.int)) and not isinstance(value, bool):
            return cls(value)
        raise ArgumentTypeError(f"{shown(value)} is not an ID; give its decimal text")

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return {"type": "string", "pattern": "^[1-9][0-9]{0,19}$"}
