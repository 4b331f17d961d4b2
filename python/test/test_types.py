"""Checks the annotations of the package and of programs that use it."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

PYTHON = Path(__file__).resolve().parents[1]
CONFIG = ["--config-file", str(PYTHON / "pyproject.toml")]

MISTAKEN = """
import membus

def ask(memory: membus.AgentMemory) -> None:
    memory.retrieve(tag=["x"])
    memory.remember("a", 1, tier="long")
    for entry in memory.entries(limit="3"):
        entry["contents"]
"""


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Both tests share a new cache, so that mypy reads the other packages once."""
    return f"--cache-dir={tmp_path_factory.mktemp('mypy')}"


def test_mypy_passes(cache: str) -> None:
    told, errors, code = api.run([cache, *CONFIG, str(PYTHON / "src"), str(PYTHON / "test")])
    assert (code, errors) == (0, ""), told


def test_mypy_reports_invalid_calls(cache: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(MISTAKEN)
    told, _, _ = api.run([cache, *CONFIG, "--no-error-summary", str(program)])
    lines = [line.split(":")[1] for line in told.splitlines() if ": error:" in line]
    assert lines == ["5", "6", "7", "8"]
