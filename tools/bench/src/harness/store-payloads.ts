import { DEFAULT_PREFIX, encodeMessage, requestSubject } from "@membus/protocol";
import type { SampleEntry } from "./dataset.js";

/** A prebuilt store request, so that encoding is not measured. */
export interface StorePayload {
  readonly subject: string;
  readonly payload: Uint8Array;
}

/**
 * Returns one request per `perRequest` entries, from `agents` agents in turn, each with its own episodic
 * scope.
 */
export function storePayloads(
  entries: readonly SampleEntry[],
  options: {
    readonly tier: string;
    readonly agents: number;
    readonly perRequest: number;
    readonly run: string;
  },
): StorePayload[] {
  const payloads: StorePayload[] = [];
  for (let at = 0; at < entries.length; at += options.perRequest) {
    const number = payloads.length;
    const agent = `agent-${number % options.agents}`;
    const message = {
      type: "memory/store/req",
      id: `${options.run}-${number}`,
      deadline_ms: 60_000,
      entries: entries.slice(at, at + options.perRequest).map((entry) => newEntry(entry, options)),
    };
    payloads.push({
      subject: requestSubject({ tenant: "default", agent, type: "memory/store/req" }, DEFAULT_PREFIX),
      payload: encodeMessage(message, "json"),
    });
  }
  return payloads;
}

/** Makes the key unique to the run, because storing an unchanged entry costs less. */
function newEntry(entry: SampleEntry, { run, tier }: { readonly run: string; readonly tier: string }) {
  return { ...entry, key: { ...entry.key, run }, tier };
}

/** Throws unless the reply confirms that everything was stored. */
export function checkStored(payload: Uint8Array, count: number): void {
  const reply = JSON.parse(Buffer.from(payload).toString()) as { type: string; receipts?: unknown[] };
  if (reply.type !== "memory/store/resp" || reply.receipts?.length !== count) {
    throw new Error(`not stored: ${JSON.stringify(reply)}`);
  }
}
