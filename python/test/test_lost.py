"""Tests the clients when the host or the server fails or rejects requests."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from running_bus import ROOT, NatsServer, RunningBus

import membus
from membus import aio
from membus._values import decode, encode

PERMISSIONS = ROOT / "protocol" / "spec" / "examples" / "one-account.conf"


async def test_no_acknowledged_entry_is_lost_when_the_host_is_killed(own_bus: RunningBus) -> None:
    """Store each entry only if it is absent, so that a repeated effect would be a conflict."""
    acknowledged: list[int] = []
    async with await aio.connect(own_bus.url, agent="writer", timeout_s=2, retry_timeout_s=300) as memory:

        async def write(first: int) -> None:
            for n in range(first, first + 60):
                entry = {"key": {"n": n}, "content": f"value {n}", "tier": "episodic", "if_revision": 0}
                result = await memory.store(entry)
                assert result["errors"] == []
                assert result["receipts"][0]["outcome"] == "created"
                acknowledged.append(n)

        writers = [asyncio.ensure_future(write(first * 60)) for first in range(8)]
        for kills in (1, 2):
            while len(acknowledged) < kills * 120:
                await asyncio.sleep(0.001)
            # Runs in a thread, so that it does not block the client.
            await asyncio.to_thread(own_bus.kill_host)
            await asyncio.to_thread(own_bus.start_host)
        await asyncio.gather(*writers)
        stored = {entry["key"]["n"]: entry["content"] async for entry in memory.entries(tier="episodic")}
    assert sorted(acknowledged) == [*range(480)]
    assert stored == {n: f"value {n}" for n in range(480)}


async def test_a_killed_server_only_delays_requests(own_bus: RunningBus) -> None:
    async with await aio.connect(own_bus.url, agent="a", retry_timeout_s=300) as memory:
        async with await memory.watch() as watch:
            own_bus.server.kill()
            waiting = asyncio.ensure_future(memory.remember("while_away", 1, tier="episodic"))
            await asyncio.sleep(0.3)
            assert not waiting.done()
            with pytest.raises(membus.UnavailableError) as lost:
                await memory.recall("x", timeout_s=0.2, retry_timeout_s=0)
            assert lost.value.detail["reason"] == "disconnected"
            own_bus.server.start()
            assert (await waiting)["outcome"] == "created"
            await memory.remember("afterwards", 2)
            seen = [(await asyncio.wait_for(anext(watch), 60))["key"]["name"] for _ in range(2)]
            assert seen[-1] == "afterwards"


async def test_a_request_in_flight_fails_immediately_when_the_server_dies(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    try:
        async with await aio.connect(server.url, agent="a", timeout_s=600, retry_timeout_s=0) as memory:
            received = asyncio.Event()

            async def receive(message: Any) -> None:
                """Does not reply."""
                received.set()

            end = await memory._exchange.connection.listen(["a2e.default.a.ping"], receive)
            waiting = asyncio.ensure_future(memory.ping())
            await asyncio.wait_for(received.wait(), 60)
            server.kill()
            with pytest.raises(membus.UnavailableError) as lost:
                await asyncio.wait_for(waiting, 60)
            assert lost.value.detail["reason"] == "disconnected"
            server.start()
            await end()
    finally:
        server.kill()


async def test_a_permanently_closed_connection_is_replaced(own_bus: RunningBus) -> None:
    """nats-py closes the connection permanently after an unknown error of the server, here for an unknown command."""
    async with await aio.connect(own_bus.url, agent="a", retry_timeout_s=300) as memory:
        async with await memory.watch() as watch:
            first = memory._exchange.connection._client
            await first._send_command(b"BOGUS\r\n")
            await first._flush_pending()
            while not first.is_closed:
                await asyncio.sleep(0.01)
            assert (await memory.remember("again", 1))["outcome"] == "created"
            assert (await asyncio.wait_for(anext(watch), 60))["key"] == {"name": "again"}


async def test_a_watch_reconnects_without_requests(own_bus: RunningBus) -> None:
    async with await aio.connect(own_bus.url, agent="a") as other:
        async with await aio.connect(own_bus.url, agent="a") as memory, await memory.watch() as watch:
            first = memory._exchange.connection._client
            await first._send_command(b"BOGUS\r\n")
            await first._flush_pending()
            while not first.is_closed:
                await asyncio.sleep(0.01)
            seen = asyncio.ensure_future(anext(watch))
            for n in range(3_000):
                if seen.done():
                    break
                await other.remember("again", n)
                await asyncio.sleep(0.02)
            assert (await asyncio.wait_for(seen, 1))["key"] == {"name": "again"}


async def test_a_client_closed_during_a_reconnect_stays_closed(own_bus: RunningBus) -> None:
    async with await aio.connect(own_bus.url, agent="a") as memory, await memory.watch() as watch:
        connection = memory._exchange.connection
        first = connection._client
        own_bus.server.kill()
        await first.close()
        connection._given_up()
        reopening = connection._reopening
        assert reopening is not None
        await memory.close()
        assert reopening.done()
        assert connection._client.is_closed
        assert [event async for event in watch] == []


async def test_unavailable_without_host_or_server(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    async with await aio.connect(server.url, agent="a", retry_timeout_s=0.3) as memory:
        with pytest.raises(membus.UnavailableError) as unheard:
            await memory.recall("x")
        assert unheard.value.detail["reason"] == "no_responders"
        assert unheard.value.detail["attempts"] > 1
        assert unheard.value.retryable
    with pytest.raises(membus.UnavailableError) as closed:
        await memory.recall("x")
    assert closed.value.detail == {"reason": "closed"}
    server.kill()
    with pytest.raises(membus.UnavailableError) as refused:
        await aio.connect(["nats://user:secret@127.0.0.1:1", server.url], agent="a")
    assert refused.value.detail["reason"] == "connect"
    assert "secret" not in f"{refused.value} {refused.value.detail}"


async def test_a_silent_host_causes_a_timeout(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    try:
        async with await aio.connect(server.url, agent="a", timeout_s=0.1, retry_timeout_s=0.3) as memory:
            ids: list[bytes] = []

            async def receive(message: Any) -> None:
                ids.append(message.data)

            await memory._exchange.connection.listen(["a2e.default.a.>"], receive)
            with pytest.raises(membus.RequestTimeoutError):
                await memory.recall("x")
            assert len(ids) > 1
            assert len(set(ids)) == 1
    finally:
        server.kill()


async def test_retries_respect_retry_after_ms(tmp_path: Path) -> None:
    server = NatsServer(tmp_path)
    try:
        async with await aio.connect(server.url, agent="a") as memory:
            connection = memory._exchange.connection
            count = 0

            async def answer(message: Any) -> None:
                nonlocal count
                count += 1
                request = decode(message.data)
                error = {"code": "overloaded", "message": "full", "detail": {"retry_after_ms": 300}, "retryable": True}
                reply = {"type": "error", "req_id": request["id"], **error}
                if count == 2:
                    reply = {"type": "pong", "req_id": request["id"], "host_id": "h", "tiers": []}
                await message.respond(encode(reply))

            await connection.listen(["a2e.default.a.ping"], answer)
            with pytest.raises(membus.OverloadedError) as full:
                await memory.ping()
            assert full.value.retry_after_ms == 300
            assert (await memory.ping())["host_id"] == "h"
            count = 0
            assert (await memory.ping(retry_timeout_s=60))["host_id"] == "h"
            assert count == 2
    finally:
        server.kill()


async def test_requests_rejected_by_the_server_are_unauthorized(tmp_path: Path) -> None:
    server = NatsServer(tmp_path, "-c", str(PERMISSIONS))
    try:
        with pytest.raises(membus.UnauthorizedError):
            await aio.connect(server.url, agent="alice", user="alice", password="wrong")
        with pytest.raises(membus.UnauthorizedError, match="subscription"):
            await aio.connect(server.url, agent="alice", user="alice", password=password_of("alice"))
        options: Any = {"user": "alice", "password": password_of("alice"), "inbox_prefix": "_INBOX_alice"}
        async with await aio.connect(server.url, agent="alice", retry_timeout_s=0, **options) as memory:
            with pytest.raises(membus.UnavailableError):
                await memory.recall("own")
            with pytest.raises(membus.UnauthorizedError):
                await memory.for_agent("bob").recall("secret")
            async with await memory.watch():
                pass
            with pytest.raises(membus.UnauthorizedError):
                await memory.for_agent("bob").watch(tier="episodic")
    finally:
        server.kill()


def password_of(user: str) -> str:
    line = next(line for line in PERMISSIONS.read_text().splitlines() if f"user: {user}" in line)
    return line.split("password:")[1].split(",")[0].strip(' "}')
