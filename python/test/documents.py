"""Examples and programs in documents, and their output."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from running_bus import ROOT, RunningBus

PYTHON = ROOT / "python"
SOURCE = str(PYTHON / "src")
EXAMPLES = ROOT / "examples" / "python"


def blocks(file: Path, language: str) -> list[str]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", file.read_text(), re.MULTILINE | re.DOTALL)
    return [block for its_language, block in found if its_language == language]


def run(bus: RunningBus, *arguments: str) -> str:
    env = {**os.environ, "NATS_URL": bus.url, "PYTHONPATH": SOURCE}
    done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_example(bus: RunningBus, program: str) -> str:
    return run(bus, str(EXAMPLES / program))


def shown_of(program: str) -> str:
    """Return the output of an example as shown in the README, from the block below its name."""
    _, _, section = (EXAMPLES / "README.md").read_text().partition(f"`{program}`:\n\n```\n")
    return section.partition("```")[0]
