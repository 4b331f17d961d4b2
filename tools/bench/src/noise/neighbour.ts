import { delay, encodeMessage, type Message, requestSubject, systemClock } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { milliseconds, quantile } from "../harness/load.js";

/** Times of the requests of a quiet agent. */
export interface NeighbourTimes {
  /** 95th percentile in milliseconds. A request that was retried includes both attempts. */
  readonly p95: number;
  /** Share of requests that failed twice. */
  readonly failed: number;
}

export const NEIGHBOUR = "bob";
const TIMEOUT_MS = 5_000;
const NOTES = 20;

function requestOf(at: number): {
  readonly type: "memory/store/req" | "memory/retrieve/req";
  readonly fields: Message;
} {
  const key = `note${at % NOTES}`;
  if (at % 2 === 1) return { type: "memory/retrieve/req", fields: { keys: [key], tier: "working" } };
  const entries: Message[] = [{ key, content: `${key} of a quiet agent, ${at}`, tier: "working" }];
  return { type: "memory/store/req", fields: { entries } };
}

/**
 * Sends single stores and retrieves of the working tier in turns, each after the reply to the one before. Ends
 * after `count` requests or `timeoutMs`. They cost little, so that the times show the delay by others.
 */
export async function neighbourTimes(
  bus: Bus,
  prefix: string,
  limits: { readonly count: number; readonly timeoutMs: number },
): Promise<NeighbourTimes> {
  const times: number[] = [];
  let failed = 0;
  const startedAt = milliseconds();
  while (times.length < limits.count && milliseconds() - startedAt < limits.timeoutMs) {
    const beganAt = milliseconds();
    const answered = (await attempt(bus, prefix, times.length)) || (await attempt(bus, prefix, times.length));
    if (!answered) failed++;
    times.push(milliseconds() - beganAt);
  }
  times.sort((a, b) => a - b);
  return { p95: quantile(times, 0.95), failed: failed / times.length };
}

/** Returns false if no reply arrives in time, or after an error and the wait that it asks for. */
async function attempt(bus: Bus, prefix: string, at: number): Promise<boolean> {
  const { type, fields } = requestOf(at);
  const payload = encodeMessage({ type, id: `${NEIGHBOUR}-${at}-${milliseconds()}`, ...fields }, "json");
  const subject = requestSubject({ tenant: "default", agent: NEIGHBOUR, type }, prefix);
  try {
    const reply = await bus.request(subject, payload, { timeoutMs: TIMEOUT_MS });
    const { type: kind, detail } = JSON.parse(Buffer.from(reply.payload).toString()) as {
      readonly type: string;
      readonly detail?: { readonly retry_after_ms?: number };
    };
    if (kind !== "error") return true;
    await delay(systemClock, detail?.retry_after_ms ?? 0);
  } catch {
    // No reply in time.
  }
  return false;
}
