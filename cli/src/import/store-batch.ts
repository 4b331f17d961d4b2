import { hash } from "node:crypto";
import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { isMemoryError, MemoryError, type StoreError } from "@membus/protocol";
import { splitRecord } from "@membus/protocol/records";
import { type ImportItem, rejected } from "./import-item.js";
import { isExpiring, sortExpiring } from "./store-exact.js";

export interface Failure {
  readonly item: ImportItem;
  readonly code: string;
  readonly message: string;
}

export interface BatchResult {
  readonly stored: number;
  /** Items that the host has already: they changed nothing. */
  readonly existing: readonly ImportItem[];
  /** Number of items that were not stored because they have expired. */
  readonly expired: number;
  readonly failures: readonly Failure[];
}

const NOTHING: BatchResult = { stored: 0, existing: [], expired: 0, failures: [] };

/**
 * Stores the entries of a batch, in order within a namespace and author. An invalid item fails without affecting
 * others.
 * @throws {MemoryError} with a retryable code if the host cannot store an entry now. The others may be stored.
 */
export async function storeBatch(
  client: AgentMemory,
  batch: readonly ImportItem[],
  id: string,
): Promise<BatchResult> {
  const failures = batch.flatMap((item): Failure[] =>
    item.problem === undefined ? [] : [{ item, code: item.code ?? "parse_error", message: item.problem }],
  );
  const groups = new Map<string, ImportItem[]>();
  for (const item of batch) {
    if (item.entry === undefined) continue;
    const scope = `${item.author ?? ""} ${item.namespace ?? ""}`;
    groups.set(scope, [...(groups.get(scope) ?? []), item]);
  }
  let result: BatchResult = { ...NOTHING, failures };
  for (const [index, items] of [...groups.values()].entries()) {
    result = sum(result, await storeItems(client, items, `${id}.${index}`));
  }
  return result;
}

function sum(one: BatchResult, other: BatchResult): BatchResult {
  return {
    stored: one.stored + other.stored,
    existing: [...one.existing, ...other.existing],
    expired: one.expired + other.expired,
    failures: [...one.failures, ...other.failures],
  };
}

/** Returns the item, with a problem if its namespace or author is invalid. */
export function withCheckedMemory(client: AgentMemory, item: ImportItem): ImportItem {
  if (item.entry === undefined) return item;
  try {
    memoryOf(client, item);
    return item;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const { line, file, bytes } = item;
    return { ...rejected(line, bytes, error.message), ...(file !== undefined && { file }) };
  }
}

/** Returns the memory that an item is stored in. */
function memoryOf(client: AgentMemory, { author, namespace }: ImportItem): AgentMemory {
  const memory = author === undefined ? client : client.forAgent(author);
  return namespace === undefined ? memory : memory.inNamespace(namespace);
}

/** Stores items of one namespace and author in order, without those that have expired or exist with an end. */
async function storeItems(
  client: AgentMemory,
  items: readonly ImportItem[],
  id: string,
): Promise<BatchResult> {
  const expiring = items.filter(isExpiring);
  if (expiring.length === 0) return storeAll(client, items, id);
  const { expired, existing, missing } = await sortExpiring(memoryOf(client, items[0]!), expiring);
  const skipped = new Set([...expired, ...existing]);
  const others = items.filter((item) => !skipped.has(item));
  // A resumed import may find other entries missing, so its request must have another id.
  const lines = hash("sha256", missing.map(({ line }) => line).join(" "), "hex").slice(0, 16);
  const written = others.length === 0 ? NOTHING : await storeAll(client, others, `${id}.${lines}`);
  return sum(written, { ...NOTHING, existing, expired: expired.length });
}

async function storeAll(client: AgentMemory, items: readonly ImportItem[], id: string): Promise<BatchResult> {
  const memory = memoryOf(client, items[0]!);
  try {
    const planned = items.flatMap((item) => entriesOf(item).map((entry) => ({ item, entry })));
    const entries = planned.map(({ entry }) => entry);
    const { receipts, errors } = await memory.store(entries, { id, partial: true });
    const passing = errors.find(({ retryable }) => retryable);
    if (passing !== undefined) throw interruption(planned[passing.index]!.item, passing);
    return resultOf(planned, receipts, errors);
  } catch (error) {
    const isRefused = error instanceof TypeError || (isMemoryError(error) && error.code === "too_large");
    if (!isRefused) throw error;
    if (items.length > 1) return storeOneByOne(client, items, id);
    const code = isMemoryError(error) ? error.code : "schema_violation";
    const message = error.message.replace(/^entries\[0\] /, "");
    return { ...NOTHING, failures: [{ item: items[0]!, code, message }] };
  }
}

/** Returns the error of an import that ends because the host cannot store an entry now. */
function interruption({ line, file }: ImportItem, { code, message }: StoreError): MemoryError {
  const where = `${file === undefined ? "" : `${file} `}line ${line}`;
  const text = `${where} is not stored: ${message}. Import again to continue`;
  return new MemoryError(code as MemoryError["code"], text);
}

/** Stores each item separately, because the client rejects a whole batch for one invalid entry. */
async function storeOneByOne(
  client: AgentMemory,
  items: readonly ImportItem[],
  id: string,
): Promise<BatchResult> {
  let result = NOTHING;
  for (const [index, item] of items.entries()) {
    result = sum(result, await storeAll(client, [item], `${id}.${index}`));
  }
  return result;
}

/** Returns the entry of an item. A record that is too large for an entry is split, equally in each import. */
function entriesOf({ entry, isExact }: ImportItem): EntryInput[] {
  const input = entry as EntryInput;
  if (isExact === true) return [input];
  if (typeof input.metadata?.kind !== "string" || input.content === undefined) return [input];
  const write = hash("sha256", JSON.stringify(input.content), "hex").slice(0, 32);
  return splitRecord(input as never, { sources: true, write }) as EntryInput[];
}

interface Planned {
  readonly item: ImportItem;
  readonly entry: EntryInput;
}

/** Counts items instead of entries. The last entry of an item is its head, so its receipt decides. */
function resultOf(
  planned: readonly Planned[],
  receipts: readonly { readonly index: number; readonly outcome?: string }[],
  errors: readonly { readonly index: number; readonly code: string; readonly message: string }[],
): BatchResult {
  const failures = new Map<ImportItem, Failure>();
  const existing = new Set<ImportItem>();
  const stored = new Set<ImportItem>();
  for (const { index, outcome } of receipts) {
    const { item } = planned[index]!;
    if (planned[index + 1]?.item !== item) (outcome === "unchanged" ? existing : stored).add(item);
  }
  for (const { index, code, message } of errors) {
    const { item, entry } = planned[index]!;
    if (code === "conflict" && entry.if_revision === 0) existing.add(item);
    else if (!failures.has(item)) failures.set(item, { item, code, message });
  }
  return { stored: stored.size, existing: [...existing], expired: 0, failures: [...failures.values()] };
}
