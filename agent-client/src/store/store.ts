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
import { type Exchange, encodeRequest, malformedReply, newRequestId } from "../exchange/index.js";
import { createEnvelope, subjectOf } from "../identity.js";
import { checkEntries, entryError, type IndexedEntry } from "./store-entries.js";
import { type PartWriter, type StorePart, splitStore } from "./store-parts.js";
import { toMemoryError } from "./to-memory-error.js";

const TYPE = "memory/store/req";

/** Outcome of each entry. `index` is its position in the call, even if the call was split. */
export interface StoreResult {
  /** Keys that were written. */
  readonly stored: MemoryStoreResponse["stored"];
  /** Errors in order of their index. */
  readonly errors: StoreError[];
  readonly receipts: StoreReceipt[];
  /** Ids of the requests, for `status`. Event ids start with them. */
  readonly requestIds: string[];
}

/** Outcome of a store without refused entries. */
export type StoredEntries = Omit<StoreResult, "errors">;

/**
 * Sends the parts one after the other. Throws the error of the first part, because no entry is known to be
 * stored. An error of a later part ends the call and is reported for each remaining entry.
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
  const hasVectors = entries.some(({ entry }) => entry.embedding != null);
  const encoding = hasVectors ? "msgpack" : settings.encoding;
  const { namespace } = settings;
  const write = (requestId: string, part: readonly IndexedEntry[]) => {
    const envelope = createEnvelope(settings, TYPE, requestId, timeoutMs);
    const fields = { namespace, ack, requires, entries: part.map(({ entry }) => entry) };
    const subject = subjectOf(settings, TYPE, commonTier(part));
    // Spreading a new object takes as long as encoding it.
    return encodeRequest(subject, Object.assign(envelope, fields), encoding);
  };
  return { id, encoding, write };
}

function commonTier(entries: readonly IndexedEntry[]): MemoryTier | undefined {
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
 * Returns a store reply. Throws if every entry failed with a retryable error, because the host stores and
 * remembers nothing in that case. Any other reply is final.
 */
function readStoreReply(message: Message, count: number): MemoryStoreResponse {
  const reply = message as MemoryStoreResponse;
  if (reply.receipts.length + reply.errors.length !== count)
    throw malformedReply("it does not cover all entries");
  const errors = reply.errors.map(toMemoryError);
  if (reply.receipts.length === 0 && errors.every((error) => error.retryable)) throw errors[0]!;
  return reply;
}

function addReply(result: StoreResult, reply: MemoryStoreResponse, entries: readonly IndexedEntry[]): void {
  const withCallerIndex = <T extends { index: number }>(item: T): T => ({
    ...item,
    index: entries[item.index]?.index ?? item.index,
  });
  result.stored.push(...reply.stored);
  result.errors.push(...reply.errors.map(withCallerIndex));
  result.receipts.push(...reply.receipts.map(withCallerIndex));
}
