"""Tests the budget of model calls, which all processes of an agent share."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from running_bus import RunningBus
from scripted_model import scripted_model

import membus
from membus import AsyncLongTermMemory, AsyncMemory, Budget, ModelError, aio, with_budget
from membus._budget import _period_at

TEA = {"role": "user", "content": "I like tea"}
FACT = {"facts": [{"text": "The user likes tea.", "message": 1}]}


def budgets(bus: RunningBus, agent: str) -> list[dict[str, Any]]:
    """Return the budgets that the command line shows."""
    listed: list[dict[str, Any]] = json.loads(bus.cli("stats", "--agent", agent, "--json"))["budgets"]
    return listed


async def test_over_the_budget_texts_are_stored_unchanged_and_the_caller_is_told(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        with scripted_model() as model:
            memory = AsyncMemory(client, model=model.chat_model(), budget=Budget(tokens=100, per="month"))
            added = await memory.add(TEA, user="ada")
            assert [fact.text for fact in added.facts] == ["I like tea"] and model.requests == []
            assert added.degraded is not None
            assert added.degraded.startswith("over_budget: the budget per month has used 0 of 100 tokens, and this call needs up to ")
            assert budgets(bus, agent) == []
            model.answers = [FACT]
            rich = AsyncMemory(client, model=model.chat_model(), budget=Budget(tokens=100_000, usd=1, per="month", input_price=1))
            assert [fact.text for fact in (await rich.add(TEA, user="bob")).facts] == ["The user likes tea."]
            (state,) = budgets(bus, agent)
            assert (state["scope"], state["per"], state["calls"], state["tokensMax"], state["usdMax"]) == ("agent", "month", 1, 100_000, 1)
            assert 100 < state["tokens"] < 2_000 and 0 < state["usd"] < 0.002


async def test_calls_at_the_same_time_share_the_budget(bus: RunningBus, agent: str) -> None:
    async with await aio.connect(bus.url, agent=agent) as client:
        with scripted_model() as model:
            model.answers = ["ok"] * 8
            # Each call reserves 2,000 tokens of output and uses about ten tokens.
            calls = [with_budget(model.chat_model(), client, Budget(tokens=4_500)).complete([TEA]) for _ in range(8)]
            done = await asyncio.gather(*calls, return_exceptions=True)
            refused = [each for each in done if isinstance(each, ModelError) and each.code == "over_budget"]
            assert len(model.requests) == done.count("ok") == 8 - len(refused) > 0
            (state,) = budgets(bus, agent)
            assert state["calls"] == len(model.requests) and state["tokens"] <= 15 * state["calls"]


def test_failed_calls_cost_what_the_model_has_read(bus: RunningBus, agent: str) -> None:
    with membus.connect(bus.url, agent=agent) as client, scripted_model() as model:
        limited = with_budget(model.chat_model(), client, Budget(tokens=5_000, scope="namespace"))
        facts = membus.LongTermMemory(client, "user:ada", model=limited)
        for answer, cost in ((401, 0), (b"garbage", 1)):
            model.answers = [answer]
            with pytest.raises(ModelError):
                facts.record("I like tea")
            (state,) = budgets(bus, agent)
            assert state["scope"] == "namespace default" and (state["tokens"] > 0) == bool(cost)


def test_a_budget_is_checked_and_renewed_in_utc() -> None:
    assert _period_at(1_777_636_800, "day") == ("2026-05-01", 1_777_680_000)
    assert _period_at(1_777_636_800, "hour") == ("2026-05-01T12", 1_777_640_400)
    assert _period_at(1_798_718_400, "month") == ("2026-12", 1_798_761_600)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "needs `tokens` or `usd`"),
        ({"usd": 1}, "needs `input_price` and `output_price`"),
        ({"tokens": -1}, "tokens must be 0 or more"),
        ({"tokens": 1, "per": "week"}, 'per must be "hour"'),
    ]
    for arguments, message in wrong:
        with pytest.raises(ValueError, match=message):
            Budget(**arguments)
