"""What the documents show works, and the package is of one version with all others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from running_bus import ROOT, RunningBus

PYTHON = ROOT / "python"
SOURCE = str(PYTHON / "src")


def blocks(file: Path, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", file.read_text(), re.MULTILINE | re.DOTALL)
    return [block for its_language, block in found if its_language == language]


def run(bus: RunningBus, *arguments: str) -> str:
    env = {**os.environ, "NATS_URL": bus.url, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_writes_what_its_readme_shows(bus: RunningBus) -> None:
    folder = ROOT / "examples" / "python"
    assert run(bus, str(folder / "two_agents.py")) == blocks(folder / "README.md", "")[-1]


@pytest.mark.parametrize("program", blocks(PYTHON / "README.md", "python"))
def test_programs_of_the_readme_run(bus: RunningBus, program: str) -> None:
    run(bus, "-c", program.replace("nats://127.0.0.1:4222", bus.url))


def test_it_has_the_version_of_all_packages() -> None:
    version = json.loads((ROOT / "package.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in (PYTHON / "pyproject.toml").read_text()


def test_each_clause_that_is_cited_is_in_the_protocol() -> None:
    known = (ROOT / "protocol" / "spec" / "clauses.yaml").read_text()
    files = [PYTHON / "README.md", *(PYTHON / "src").rglob("*.py")]
    cited = {clause for file in files for clause in re.findall(r"\[([A-Z]+(?:-[A-Z]+)*-\d+)\]", file.read_text())}
    assert len(cited) > 20
    assert sorted(clause for clause in cited if f"id: {clause}," not in known) == []
