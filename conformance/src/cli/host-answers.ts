import {
  delay,
  encodeMessage,
  isMemoryError,
  type RequestType,
  requestSubject,
  systemClock,
} from "@membus/protocol";
import type { Bus, BusMessage } from "@membus/protocol/plugin";
import { parseJson } from "../host-route/parse-json.js";

const PROBE_MS = 500;
const PAUSE_MS = 100;

export interface Address {
  readonly prefix: string;
  readonly tenant: string;
  readonly agent: string;
}

/**
 * Waits up to `patienceMs` for a host that may still be starting. Returns whether it answered.
 *
 * A host that answers neither ping nor retrieve but describes itself counts as present. The checks then
 * report what fails.
 * @throws {MemoryError} `unauthorized` if the server does not permit the requests.
 */
export async function awaitHost(bus: Bus, address: Address, patienceMs: number): Promise<boolean> {
  const until = systemClock.now() + patienceMs / 1_000;
  do {
    const answers = await Promise.all([
      answersRequest(bus, address, { type: "ping" }),
      answersRequest(bus, address, { type: "memory/retrieve/req", limit: 0 }),
    ]);
    if (answers.includes(true)) return true;
    await delay(systemClock, PAUSE_MS);
  } while (systemClock.now() < until);
  return describesItself(bus, address);
}

async function answersRequest(
  bus: Bus,
  { prefix, tenant, agent }: Address,
  message: { readonly type: RequestType; readonly limit?: number },
): Promise<boolean> {
  const subject = requestSubject({ tenant, agent, type: message.type }, prefix);
  const payload = encodeMessage(message, "json");
  return bus.request(subject, payload, { timeoutMs: PROBE_MS }).then(() => true, isRefused);
}

/** Returns whether a host with this prefix answers discovery. */
async function describesItself(bus: Bus, { prefix }: Address): Promise<boolean> {
  const asked = bus.requestMany("$SRV.INFO.membus", new Uint8Array(), { waitMs: PROBE_MS });
  const served = ({ payload }: BusMessage) => {
    const info = parseJson(payload) as { metadata?: { prefix?: unknown } } | null | undefined;
    return info?.metadata?.prefix ?? prefix;
  };
  return asked.then((answers) => answers.some((answer) => served(answer) === prefix), isRefused);
}

/** Returns false for a missing answer. Rethrows a permission error, because waiting cannot fix it. */
function isRefused(error: unknown): false {
  if (isMemoryError(error) && error.code !== "unauthorized") return false;
  throw error;
}
