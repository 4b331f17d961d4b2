"""Identity of a client: subjects, tokens and namespaces (protocol/spec/02-subjects.md)."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

from ._schema import LIMITS, TIERS

_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
_PREFIX = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})*")
_SEGMENT = r"[^/*\x00-\x1f\x7f]{1,64}"
_NAMESPACE = re.compile(rf"{_SEGMENT}(/{_SEGMENT}){{0,7}}")
_AGENT_BYTES_MAX = 192


def agent_token(agent: str) -> str:
    """Return the subject token of an agent: `alice` for `alice`, `=em_Dqw` for `zoë` [SUBJ-3].

    Raises:
        ValueError: For an empty name, a name over 192 bytes, or an unpaired surrogate.
    """
    if _TOKEN.fullmatch(agent):
        return agent
    data = agent.encode()
    if not 0 < len(data) <= _AGENT_BYTES_MAX:
        raise ValueError(f"an agent name must be 1..{_AGENT_BYTES_MAX} bytes")
    return "=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


def is_namespace(path: str) -> bool:
    """Return whether `path` is a namespace: 1..8 segments of at most 64 characters [NS-1]."""
    if not _NAMESPACE.fullmatch(path):
        return False
    return all(len(segment.encode("utf-16-le", "surrogatepass")) <= 128 for segment in path.split("/"))


def require_tier(tier: object) -> None:
    """Raise `ValueError` for an unknown tier."""
    if tier not in TIERS:
        raise ValueError(f"tier must be one of {', '.join(TIERS)}, got {tier!r}")


def selects(pattern: str, namespace: str) -> bool:
    """Return whether `pattern` selects a namespace: the namespace itself, a subtree `a/**`, or `**` for all [NS-2]."""
    if pattern == "**":
        return True
    if not pattern.endswith("/**"):
        return namespace == pattern
    root = pattern[: -len("/**")]
    return namespace == root or namespace.startswith(f"{root}/")


@dataclass(frozen=True)
class Identity:
    """The agent and its position in memory, fixed for a view."""

    agent: str
    tenant: str = "default"
    session: str = ""
    namespace: str = "default"
    prefix: str = "a2e"
    tier_subjects: bool = False

    def __post_init__(self) -> None:
        """Raise `ValueError` or `TypeError` for invalid fields."""
        for name in ("agent", "tenant", "session", "namespace", "prefix"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be a string")
        agent_token(self.agent)
        if not _TOKEN.fullmatch(self.tenant):
            raise ValueError(f"tenant must be 1..64 characters of A-Z a-z 0-9 _ -, got {self.tenant!r}")
        if len(self.session.encode("utf-16-le")) > 2 * LIMITS["idLength"]:
            raise ValueError(f"session must be at most {LIMITS['idLength']} characters")
        if not is_namespace(self.namespace):
            raise ValueError(f"namespace must be a path of 1..8 segments, got {self.namespace!r}")
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"prefix must be tokens separated by dots, got {self.prefix!r}")

    def subject(self, type: str, tier: str | None = None) -> str:
        """Return the subject of a request [SUBJ-1]. With `tier_subjects`, it contains the tier [SUBJ-12]."""
        operation = type.replace("/", ".")
        if self.tier_subjects and tier is not None:
            operation = re.sub("req$", f"{tier}.req", operation)
        return f"{self.prefix}.{self.tenant}.{agent_token(self.agent)}.{operation}"

    def events(self, tier: str, action: str | None, of_all: bool) -> str:
        """Return the subject of the agent's events in a tier. In the shared tier, or with `of_all`, it covers all
        agents [SUBJ-6].
        """
        agent = "*" if of_all or tier == "semantic" else agent_token(self.agent)
        return f"{self.prefix}.{self.tenant}.{agent}.events.memory.{tier}.{action or '*'}"
