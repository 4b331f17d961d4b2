"""Runs the programs in documents, and checks the version and cited clauses."""

from __future__ import annotations

import json
import re

import pytest
from documents import PYTHON, blocks, run, run_example, shown_of
from running_bus import ROOT, RunningBus


@pytest.mark.parametrize("program", ["two_agents.py", "mem0_memory.py", "user_memory.py"])
def test_an_example_prints_the_output_of_the_readme(bus: RunningBus, program: str) -> None:
    assert run_example(bus, program) == shown_of(program)


DOCS = ("start/python.md", "integrations/a2e.md", "integrations/mem0-and-agentscope.md", "integrations/reme-gaia-marsys.md")
PAGES = [PYTHON / "README.md", *(ROOT / "docs" / page for page in DOCS)]


@pytest.mark.parametrize("program", [block for page in PAGES for block in blocks(page, "python")])
def test_documented_programs_run(bus: RunningBus, program: str) -> None:
    run(bus, "-c", program.replace("nats://127.0.0.1:4222", bus.url))


def test_version_matches_all_packages() -> None:
    version = json.loads((ROOT / "package.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in (PYTHON / "pyproject.toml").read_text()


def test_cited_clauses_exist() -> None:
    known = (ROOT / "protocol" / "spec" / "clauses.yaml").read_text()
    files = [ROOT / "docs/reference/python-client.md", *(PYTHON / "src").rglob("*.py")]
    cited = {clause for file in files for clause in re.findall(r"\[([A-Z]+(?:-[A-Z]+)*-\d+)\]", file.read_text())}
    assert len(cited) > 20
    assert sorted(clause for clause in cited if f"id: {clause}," not in known) == []
