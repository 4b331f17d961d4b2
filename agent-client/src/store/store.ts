import {
  isMemoryError,
  type MemoryStoreResponse,
  type MemoryTier,
  type Message,
  type StoreError,
  type StoreReceipt,
  TIERS,
} from "@membus/protocol";
import type { ResolvedCallOptions, StoreOptions } from "../call-options.js";
import type { ResolvedClientOptions } from "../client-options.js";
import { type Exchange, encodeRequest, malformed, newRequestId } from "../exchange/index.js";
import { envelopeOf, subjectOf } from "../identity.js";
import { checkEntries, entryError, type IndexedEntry } from "./store-entries.js";
import { storeFailure } from "./store-failure.js";
import { type PartWriter, type StorePart, splitStore } from "./store-parts.js";

const TYPE = "memory/store/req";

/** What became of each entry. `index` is its position in the call, also where the call was split. */
export interface StoreResult {
  /** The keys really written. */
  readonly stored: MemoryStoreResponse["stored"];
  /** By index. */
  readonly errors: StoreError[];
  readonly receipts: StoreReceipt[];
  /** The ids under which the entries were sent: what `status` takes, and `event_id`s begin with. */
  readonly requestIds: string[];
}

/**
 * Sends the parts one after the other. Throws what befalls the first, because then nothing is known to be written;
 * what befalls a later one ends the call and is reported for each entry that is left.
 */
export async function storeEntries(
  inputs: readonly unknown[],
  settings: ResolvedClientOptions,
  exchange: Exchange,
  options: StoreOptions & ResolvedCallOptions,
): Promise<StoreResult> {
  const checked = checkEntries(inputs);
  const writer = partWriter(checked.entries, settings, options);
  const { parts, errors } = splitStore(checked.entries, writer, exchange.bus.maxPayloadBytes);
  const result: StoreResult = {
    stored: [],
    errors: [...checked.errors, ...errors],
    receipts: [],
    requestIds: [],
  };
  await sendParts(parts, result, ({ request, entries }) =>
    exchange.send(request, options, (reply) => readStoreReply(reply, entries.length)),
  );
  result.errors.sort((a, b) => a.index - b.index);
  return result;
}

function partWriter(
  entries: readonly IndexedEntry[],
  settings: ResolvedClientOptions,
  { id = newRequestId(), ack, requires, timeoutMs }: StoreOptions & ResolvedCallOptions,
): PartWriter {
  const holdsVectors = entries.some(({ entry }) => entry.embedding != null);
  const encoding = holdsVectors ? "msgpack" : settings.encoding;
  const { namespace } = settings;
  const write = (requestId: string, part: readonly IndexedEntry[]) => {
    const envelope = envelopeOf(settings, TYPE, requestId, timeoutMs);
    const fields = { namespace, ack, requires, entries: part.map(({ entry }) => entry) };
    const subject = subjectOf(settings, TYPE, onlyTierOf(part));
    // Spreading a fresh object takes as long as encoding it.
    return encodeRequest(subject, Object.assign(envelope, fields), encoding);
  };
  return { id, encoding, write };
}

function onlyTierOf(entries: readonly IndexedEntry[]): MemoryTier | undefined {
  return TIERS.find((tier) => entries.every(({ entry }) => (entry.tier ?? "working") === tier));
}

async function sendParts(
  parts: readonly StorePart[],
  result: StoreResult,
  send: (part: StorePart) => Promise<MemoryStoreResponse>,
): Promise<void> {
  for (const [n, part] of parts.entries()) {
    result.requestIds.push(part.request.id);
    try {
      addReply(result, await send(part), part.entries);
    } catch (error) {
      if (n === 0 || !isMemoryError(error)) throw error;
      const left = parts.slice(n).flatMap(({ entries }) => entries);
      result.errors.push(...left.map((entry) => entryError(entry, error)));
      return;
    }
  }
}

/**
 * A reply in which every entry failed for a passing reason stands for an `error` reply: nothing is written or
 * remembered under its id, so it may be sent again. Any other reply is final.
 */
function readStoreReply(message: Message, count: number): MemoryStoreResponse {
  const reply = message as MemoryStoreResponse;
  if (reply.receipts.length + reply.errors.length !== count) throw malformed("entries are missing in it");
  const errors = reply.errors.map(storeFailure);
  if (reply.receipts.length === 0 && errors.every((error) => error.retryable)) throw errors[0]!;
  return reply;
}

function addReply(result: StoreResult, reply: MemoryStoreResponse, entries: readonly IndexedEntry[]): void {
  const ofCaller = <T extends { index: number }>(item: T): T => ({
    ...item,
    index: entries[item.index]?.index ?? item.index,
  });
  result.stored.push(...reply.stored);
  result.errors.push(...reply.errors.map(ofCaller));
  result.receipts.push(...reply.receipts.map(ofCaller));
}
