import { entryError } from "./receipts.js";
import { tooLargeToAnswer } from "./reply.js";
import type { StoreBatch } from "./store-batch.js";

/** Bytes of a reply to a store besides what it says of its entries, at most. */
const ENVELOPE_BYTES_MAX = 1_024;

/** Bytes of what it says of one entry besides its key, at most. */
const ENTRY_BYTES_MAX = 1_024;

/** Bytes of a receipt without the id of its request, at most. */
const RECEIPT_BYTES_MAX = 170;

/** Room for the error that a plugin gives instead, without the key. */
const PLUGIN_ERROR_BYTES = 280;

/**
 * Refuses a store whose reply, which repeats every key, might not fit a message: once it is stored, an error would
 * say that it is not.
 * @throws {MemoryError} `too_large`.
 */
export function checkReplyFits(
  { byTier, errors }: StoreBatch,
  request: { readonly id: string; readonly messageBytes: number },
  maxBytes: number,
): void {
  const tiers = [...byTier.values()];
  const itemCount = sum(tiers.map(({ size }) => size));
  // The keys are part of the message, so most messages need no look at them.
  const most = ENVELOPE_BYTES_MAX + (itemCount + errors.length) * ENTRY_BYTES_MAX + request.messageBytes;
  if (most <= maxBytes) return;
  const receiptBytes = Math.max(RECEIPT_BYTES_MAX + Buffer.byteLength(request.id), PLUGIN_ERROR_BYTES);
  const keys = tiers.flatMap((items) => [...items.values()].map(({ key }) => key));
  const refused = errors.map(({ index, key, error }) => entryError(index, key, error));
  const bytes = ENVELOPE_BYTES_MAX + itemCount * receiptBytes + sum([...keys, ...refused].map(jsonBytes));
  if (bytes > maxBytes) throw tooLargeToAnswer(maxBytes, bytes);
}

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
