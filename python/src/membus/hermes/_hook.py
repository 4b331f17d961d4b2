"""The command `membus hook hermes`, which keeps, recalls and delivers. It has the outbox and the rules of all agents."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any, Mapping, NamedTuple, Sequence


class Answer(NamedTuple):
    #: Text for the agent, without the notice.
    text: str = ""
    #: Problem that the agent and its user must know, such as queued writes. Empty: none.
    notice: str = ""


class Hook:
    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)

    def is_available(self) -> bool:
        return shutil.which(self._command[0]) is not None

    def answer(self, payload: Mapping[str, Any], timeout: float) -> Answer:
        """Run the command for one event. A failure is the notice of the answer. `timeout` is in seconds."""
        try:
            done = subprocess.run(
                self._command,
                input=json.dumps(payload),
                capture_output=True,
                encoding="utf-8",
                timeout=timeout,
                check=True,
            )
            return _read(json.loads(done.stdout or "{}"))
        except subprocess.TimeoutExpired:
            return _failure(f"the hook was not done after {timeout:g} seconds")
        except subprocess.CalledProcessError as error:
            return _failure(f"the hook ended with {error.returncode}: {error.stderr.strip()[-500:]}")
        except (OSError, ValueError) as error:
            return _failure(f"the hook failed: {error}")


def _read(answer: Mapping[str, Any]) -> Answer:
    notice = str(answer.get("systemMessage", ""))
    shown = str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
    # The notices are at the beginning of the text, with an empty line after each.
    return Answer(shown.removeprefix(notice.replace("\n", "\n\n")).lstrip("\n"), notice)


def _failure(reason: str) -> Answer:
    return Answer(notice=f"membus: a memory may be lost: {reason}.")
