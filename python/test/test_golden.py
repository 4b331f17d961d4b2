"""Tests the golden messages of the protocol: round trips and rejections."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from running_bus import ROOT

from membus import key_hash
from membus._exchange import request_fields
from membus._schema import FIELDS
from membus._values import canonical, check_values, decode, encode
from membus.errors import MembusError

VECTORS = ROOT / "protocol" / "vectors"


def vectors(path: str) -> list[Any]:
    files = sorted(VECTORS.glob(path))
    assert files, path
    return [pytest.param(each, id=f"{file.stem}: {each['name']}") for file in files for each in read(file)]


def read(file: Path) -> list[dict[str, Any]]:
    vectors: list[dict[str, Any]] = json.loads(file.read_text(), parse_int=as_double)
    return vectors


def as_double(digits: str) -> float:
    """Convert integers beyond ±(2^53 - 1) to floats, because the numbers of vectors are doubles."""
    return int(digits) if abs(int(digits)) < 2**53 else float(digits)


def payload(vector: dict[str, Any]) -> bytes:
    if "text" in vector:
        return str(vector["text"]).encode()
    if "bytes_base64" in vector:
        return base64.b64decode(vector["bytes_base64"])
    return "".join(part if isinstance(part, str) else part["repeat"] * part["times"] for part in vector["parts"]).encode()


@pytest.mark.parametrize("vector", vectors("valid/*.json"))
def test_valid_messages_round_trip(vector: dict[str, Any]) -> None:
    if vector["encoding"] == "json":
        decoded = decode(payload(vector))
        check_values(decoded)
        assert decoded == vector["message"]
    check_values(vector["message"])
    assert decode(encode(vector["message"])) == vector["message"]


@pytest.mark.parametrize("vector", [each for each in vectors("valid/*.json") if each.values[0]["message"]["type"] in FIELDS])
def test_request_fields_are_known(vector: dict[str, Any]) -> None:
    envelope = ("type", "id", "version", "ts", "session_id", "deadline_ms")
    fields = {name: value for name, value in vector["message"].items() if name not in envelope}
    assert request_fields(vector["message"]["type"], fields) == fields


# Invalid vectors about bytes and values, in the encoding of this client.
REFUSED = [
    each
    for path in ("invalid/bytes.json", "invalid/values.json")
    for each in vectors(path)
    if each.values[0]["encoding"] == "json" and each.values[0]["error"]["code"] in ("parse_error", "schema_violation")
    if "entry" not in each.values[0] and each.values[0]["error"].get("path", "") not in ("limit", "deadline_ms", "id", "ts")
]


@pytest.mark.parametrize("vector", REFUSED)
def test_invalid_messages_are_rejected_with_the_same_code(vector: dict[str, Any]) -> None:
    with pytest.raises(MembusError) as refused:
        check_values(decode(payload(vector)))
    assert refused.value.code == vector["error"]["code"]
    if "path" in vector["error"]:
        assert refused.value.detail["path"] == vector["error"]["path"]


@pytest.mark.parametrize("vector", vectors("keys.json"))
def test_key_hashes_match_the_vectors(vector: dict[str, Any]) -> None:
    named = {"name": vector["key"]} if isinstance(vector["key"], str) else vector["key"]
    assert canonical(named) == vector["canonical"]
    assert key_hash(vector["key"]) == vector["sha256"]
