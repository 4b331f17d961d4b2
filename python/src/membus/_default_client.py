"""The connection of classes whose interface has no client."""

from __future__ import annotations

import os

from .sync import MemoryClient, connect


def open_client(agent: str) -> MemoryClient:
    """Connect to the server in `NATS_URL`, or to `nats://127.0.0.1:4222`."""
    return connect(os.environ.get("NATS_URL") or "nats://127.0.0.1:4222", agent=agent)
