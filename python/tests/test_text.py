# SPDX-License-Identifier: MIT
"""IDs as text: the formats, and IdStr through json, dataclasses and Pydantic."""
import copy
import dataclasses
import json
import pickle
from typing import Optional

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flakecore
from flakecore import FORMATS, IdStr, decode, decode_text, encode

IDS = st.integers(1, 2**64 - 1)
BIG = 653247040368672768  # JavaScript prints 653247040368672800


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(FORMATS), IDS, IDS)
def test_every_form_reads_back_and_sorts_as_the_ids_do(format, one, two):  # S40
    texts = [encode(id, format) for id in (one, two)]
    assert [decode_text(text, format) for text in texts] == [one, two]
    if format != "dec":
        assert len(texts[0]) == len(texts[1]) and (texts[0] < texts[1]) == (one < two)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", ["", " 7", "7 ", "+7", "-7", "07", "7.5", "\u0667", "7\0",
                                  "\ud800", "1" * 21, "99999999999999999999", "\u00e9"])
def test_what_encode_does_not_write_is_refused(format, text):
    with pytest.raises(flakecore.BadTextError):
        decode_text(text, format)


@pytest.mark.parametrize("format", ["", "Dec", "base64", "0", "\0"])
def test_an_unknown_format_is_refused_and_the_known_ones_are_named(format):
    for call in (lambda: encode(1, format), lambda: decode_text("1", format)):
        with pytest.raises(flakecore.InvalidArgumentError, match="dec, hex, base32"):
            call()


@pytest.mark.parametrize("id", [-1, 2**64, 10**30])
def test_what_is_no_64_bits_is_not_written(id):
    with pytest.raises(flakecore.InvalidArgumentError):
        encode(id)


# ---- IdStr ---------------------------------------------------------------------------------------


@dataclasses.dataclass
class Order:
    id: IdStr
    total: int


class Model(pydantic.BaseModel):
    id: IdStr
    parent: Optional[IdStr] = None


def test_an_id_goes_exactly_through_json():  # S35
    text = json.dumps({"id": IdStr(BIG), "number": BIG})
    assert text == '{"id": "653247040368672768", "number": 653247040368672768}'
    assert IdStr(json.loads(text)["id"]).int == json.loads(text)["number"] == BIG


def test_it_is_a_string_with_a_number():
    id = IdStr(BIG)
    assert isinstance(id, str) and id == str(BIG) and id.int == int(id) == BIG
    assert repr(id) == f"IdStr('{BIG}')" and f"{id}" == str(BIG)
    assert IdStr(id) == id and type(copy.deepcopy(id)) is IdStr
    assert pickle.loads(pickle.dumps(id)) == id and decode(id, "twitter").unix_ms == 1444581205824
    assert encode(id, "hex") == f"{BIG:016x}"


def test_it_works_in_dataclasses():
    order = Order(IdStr(BIG), 3)
    assert json.loads(json.dumps(dataclasses.asdict(order))) == {"id": str(BIG), "total": 3}


def test_it_works_in_pydantic_models():
    for given in (str(BIG), BIG, IdStr(BIG)):
        model = Model(id=given, parent=given)
        assert type(model.id) is IdStr and model.id.int == BIG == model.parent.int
    assert model.model_dump_json() == f'{{"id":"{BIG}","parent":"{BIG}"}}'
    assert Model.model_validate_json(f'{{"id":"{BIG}"}}').id.int == BIG
    assert Model.model_validate(model.model_dump()) == model
    assert Model.model_json_schema()["properties"]["id"]["type"] == "string"


@pytest.mark.parametrize("value", [0, -1, 2**64, "0", "", " 7", "07", "-7", "7.5", "x", "\u0667",
                                   "99999999999999999999"])
def test_what_is_no_id_is_refused(value):
    with pytest.raises((flakecore.InvalidArgumentError, flakecore.BadTextError)):
        IdStr(value)
    with pytest.raises(pydantic.ValidationError):
        Model(id=value)


@pytest.mark.parametrize("value", [None, True, 7.0, float("nan"), b"7", [7]])
def test_what_is_of_another_type_is_refused(value):
    with pytest.raises(flakecore.ArgumentTypeError):
        IdStr(value)
    with pytest.raises(pydantic.ValidationError):
        Model(id=value)
