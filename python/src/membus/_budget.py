"""A budget for the calls of a model, shared by all processes of an agent through one record on the bus."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta, timezone
from time import time
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Sequence

from ._chat_model import ChatModel, ModelError
from ._schema import MemoryTier
from ._values import require_number
from .aio import AsyncAgentMemory
from .errors import ConflictError, MembusError

if TYPE_CHECKING:
    from .sync import AgentMemory

_NAMESPACE = "budget"
_TIER: MemoryTier = "episodic"
#: Maximum number of attempts. Each conflict means that another process succeeded.
_ATTEMPTS_MAX = 64
#: Tokenizers need more tokens than the estimate.
_INPUT_FACTOR = 1.5
#: Characters of a token, on average. `estimate_tokens` returns an upper estimate.
_TOKEN_LENGTH = 4


@dataclass(frozen=True)
class Budget:
    """Maximum `tokens`, or `usd` with the prices per million tokens in US dollars, of one period in UTC.

    `scope` is "agent", or "namespace" for a budget of the namespace of the client. Processes in JavaScript share it.

    Raises:
        ValueError: For a value out of range, no maximum, or `usd` without a price.
    """

    tokens: int | None = None
    usd: float | None = None
    per: Literal["hour", "day", "month"] = "day"
    scope: Literal["agent", "namespace"] = "agent"
    input_price: float = 0
    output_price: float = 0

    def __post_init__(self) -> None:
        for name in ("tokens", "usd", "input_price", "output_price"):
            if (value := getattr(self, name)) is not None:
                require_number(name, value, "0 or more", lambda number: number >= 0)
        if self.per not in ("hour", "day", "month") or self.scope not in ("agent", "namespace"):
            raise ValueError('per must be "hour", "day" or "month", and scope "agent" or "namespace"')
        if self.tokens is None and self.usd is None:
            raise ValueError("a budget needs `tokens` or `usd`")
        if self.usd is not None and self.input_price + self.output_price == 0:
            raise ValueError("a budget in `usd` needs `input_price` and `output_price`, in USD per million tokens")


@dataclass(frozen=True)
class _Spending:
    tokens: int
    usd: float


def with_budget(model: ChatModel, client: AsyncAgentMemory | AgentMemory, budget: Budget) -> ChatModel:
    """Return a model that keeps a budget in whatever class it is used. Tokens are estimated from the texts.

    Each call reserves the most that it can cost, and releases the rest afterwards. Over the budget, a call raises
    `ModelError` with the code "over_budget", without calling the model.
    """
    memory = client if isinstance(client, AsyncAgentMemory) else client._memory
    given = {each.name: getattr(model, each.name) for each in fields(ChatModel)}
    return _BudgetedModel(**given, ledger=_Ledger(memory, budget), unlimited=model)


@dataclass(frozen=True)
class _BudgetedModel(ChatModel):
    ledger: _Ledger = field(kw_only=True, repr=False)
    unlimited: ChatModel = field(kw_only=True, repr=False)

    async def complete(self, messages: Sequence[Mapping[str, Any]]) -> str:
        asked = _tokens_of(json.dumps([*messages], ensure_ascii=False))
        most = self.ledger.spending(int(asked * _INPUT_FACTOR) + 1, self.output_tokens_max)
        period = await self.ledger.reserve(most)
        # A model that was interrupted has the prompt.
        actual = self.ledger.spending(asked, 0)
        try:
            text = await self.unlimited.complete(messages)
            actual = self.ledger.spending(asked, _tokens_of(text))
            return text
        except ModelError as error:
            if error.code not in ("timeout", "invalid_output"):
                actual = self.ledger.spending(0, 0)
            raise
        finally:
            await self.ledger.settle(most, period, actual)


class _Ledger:
    """The usage of a budget in its current period."""

    def __init__(self, memory: AsyncAgentMemory, budget: Budget) -> None:
        self._memory = memory.in_namespace(_NAMESPACE)
        self._budget = budget
        scope = "agent" if budget.scope == "agent" else f"namespace {memory.namespace}"
        self._key = {"budget": scope, "per": budget.per}

    def spending(self, input_tokens: int, output_tokens: int) -> _Spending:
        budget = self._budget
        return _Spending(input_tokens + output_tokens, (input_tokens * budget.input_price + output_tokens * budget.output_price) / 1e6)

    async def reserve(self, most: _Spending) -> str:
        """Return the period that the call belongs to. Raise `ModelError` "over_budget" if the rest is smaller."""

        def change(used: dict[str, Any]) -> dict[str, Any]:
            rest = [used.get(f"{name}Max", float("inf")) - used[name] - getattr(most, name) for name in ("tokens", "usd")]
            if min(rest) < 0:
                raise ModelError("over_budget", _exceeded(used, most))
            return {**_added(used, most.tokens, most.usd), "calls": used["calls"] + 1}

        return str((await self._change(change))["period"])

    async def settle(self, reserved: _Spending, period: str, actual: _Spending) -> None:
        """Replace a reservation by the actual cost. After the end of its period nothing changes.

        If the bus fails, the reservation stays used, because the reply of the model must not be lost.
        """

        def change(used: dict[str, Any]) -> dict[str, Any]:
            if used["period"] != period:
                return used
            return _added(used, actual.tokens - reserved.tokens, actual.usd - reserved.usd)

        with suppress(MembusError):
            await self._change(change)

    async def _change(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        for _ in range(_ATTEMPTS_MAX):
            found = (await self._memory.retrieve(keys=[self._key], tier=_TIER, limit=1))["entries"]
            content = change(self._used(found[0]["content"] if found else None))
            entry = {"key": self._key, "content": content, "text": "budget", "tier": _TIER, "metadata": {"kind": "model_budget"}}
            try:
                await self._memory.store({**entry, "if_revision": found[0]["revision"] if found else 0})
                return content
            except ConflictError:
                continue
        raise ConflictError("other processes keep changing the budget: try again")

    def _used(self, known: Any) -> dict[str, Any]:
        """Return the usage of the current period with the maxima."""
        budget = self._budget
        period, until = _period_at(time(), budget.per)
        used = known if isinstance(known, dict) and known.get("period") == period else {}
        counts = {name: used.get(name, 0) for name in ("tokens", "usd", "calls")}
        maxima = {name: value for name, value in (("tokensMax", budget.tokens), ("usdMax", budget.usd)) if value is not None}
        return {"per": budget.per, "period": period, "until": until, **counts, **maxima}


def _tokens_of(text: str) -> int:
    return -(-len(text) // _TOKEN_LENGTH)


def _added(used: Mapping[str, Any], tokens: int, usd: float) -> dict[str, Any]:
    return {**used, "tokens": max(0, used["tokens"] + tokens), "usd": max(0, used["usd"] + usd)}


def _exceeded(used: Mapping[str, Any], most: _Spending) -> str:
    limits = [f"{used['tokens']} of {used['tokensMax']} tokens"] if "tokensMax" in used else []
    limits += [f"{used['usd']:.4f} of {used['usdMax']} USD"] if "usdMax" in used else []
    end = datetime.fromtimestamp(used["until"], timezone.utc).isoformat()
    return f"the budget per {used['per']} has used {' and '.join(limits)}, and this call needs up to {most.tokens} tokens. It is renewed at {end}"


def _period_at(now: float, per: str) -> tuple[str, float]:
    """Return the start of the period at `now` as text, and its end in Unix seconds."""
    at = datetime.fromtimestamp(now, timezone.utc)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if per == "hour":
        hour = day.replace(hour=at.hour)
        return hour.isoformat()[:13], (hour + timedelta(hours=1)).timestamp()
    if per == "day":
        return day.isoformat()[:10], (day + timedelta(days=1)).timestamp()
    month = day.replace(day=1)
    return month.isoformat()[:7], (month + timedelta(days=32)).replace(day=1).timestamp()
