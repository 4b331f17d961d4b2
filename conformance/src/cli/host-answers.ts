import {
  type Bus,
  type BusMessage,
  delay,
  encodeMessage,
  isMemoryError,
  type RequestType,
  requestSubject,
  systemClock,
} from "@membus/protocol";
import { parseJson } from "../host-route/parse-json.js";

const PROBE_MS = 500;
const PAUSE_MS = 100;

export interface Address {
  readonly prefix: string;
  readonly tenant: string;
  readonly agent: string;
}

/**
 * Whether a host answers a ping or a retrieve within `patienceMs`; it may be starting. One that answers neither in all
 * that time, but describes itself, is there too: what it lacks is for the checks to say.
 * @throws {MemoryError} `unauthorized` when the server does not let us ask.
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

/** One that says that it serves another prefix is another host. */
async function describesItself(bus: Bus, { prefix }: Address): Promise<boolean> {
  const asked = bus.requestMany("$SRV.INFO.membus", new Uint8Array(), { waitMs: PROBE_MS });
  const served = ({ payload }: BusMessage) => {
    const info = parseJson(payload) as { metadata?: { prefix?: unknown } } | null | undefined;
    return info?.metadata?.prefix ?? prefix;
  };
  return asked.then((answers) => answers.some((answer) => served(answer) === prefix), isRefused);
}

/** No answer is one; not being allowed to ask is a mistake that waiting does not cure. */
function isRefused(error: unknown): false {
  if (isMemoryError(error) && error.code !== "unauthorized") return false;
  throw error;
}
