import type { AgentMemory, EntryInput, ForgetRequest, RetrieveRequest } from "@membus/agent-client";
import {
  type Clock,
  type ErrorMessage,
  LIMITS,
  type MemoryEntry,
  MemoryError,
  parseErrorMessage,
  type StoreError,
} from "@membus/protocol";
import { byTier, entryToSend, entryToStore, errorText, keyToSend } from "./entries.js";
import type { A2eMessage } from "./message.js";

type Fields = Readonly<Record<string, unknown>>;

/** Largest size of the entries in one reply, in bytes. */
const REPLY_BYTES_MAX = 16 * 1024 * 1024;

/** Stores entries under the id of the request, so that a repeated request has no second effect. */
export async function store(memory: AgentMemory, { id, fields }: A2eMessage): Promise<Fields> {
  const sent = listOf(fields, "entries");
  const inputs = sent.map(entryToStore);
  const given = inputs.flatMap((entry, index) => (entry === undefined ? [] : [{ entry, index }]));
  const result = await memory.store(
    given.map(({ entry }) => entry),
    { id, partial: true },
  );
  const ofSent = (error: StoreError): StoreError => ({ ...error, index: given[error.index]!.index });
  const errors = [...result.errors.map(ofSent), ...inputs.flatMap(noEntry)].sort((a, b) => a.index - b.index);
  const failed = new Set(errors.map(({ index }) => index));
  const stored = given.filter(({ index }) => !failed.has(index)).map(({ entry }) => keyToSend(entry.key));
  return { stored, errors: errors.map(errorText), error_details: errors };
}

export async function retrieve(memory: AgentMemory, { fields }: A2eMessage, clock: Clock): Promise<Fields> {
  const { limit = 10 } = fields;
  if (!Number.isSafeInteger(limit)) throw violation("limit", "is an integer");
  const criteria = given({
    ...criteriaOf(fields),
    query: fields.query,
    min_score: fields.min_score,
  }) as RetrieveRequest;
  const { entries, total } = await pages(memory, criteria, Math.max(0, limit as number));
  const isRecall = criteria.keys != null && criteria.query === undefined;
  const now = clock.now();
  return { entries: (isRecall ? byTier(entries) : entries).map((entry) => entryToSend(entry, now)), total };
}

/** Forgets by key or tag. Without both it forgets nothing, and never the whole tier. */
export async function forget(memory: AgentMemory, { id, fields }: A2eMessage): Promise<Fields> {
  const criteria = given(criteriaOf(fields)) as ForgetRequest;
  if (criteria.keys == null && criteria.tags == null) return { deleted: 0 };
  const { deleted } = await memory.forget(criteria, { id });
  return { deleted };
}

/** Reads pages until `limit`, because the SDK has no cursor. */
async function pages(memory: AgentMemory, criteria: RetrieveRequest, limit: number) {
  const entries: MemoryEntry[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  let total = 0;
  do {
    const left = Math.min(limit - entries.length, LIMITS.retrieveLimit);
    const page = await memory.retrieve({ ...criteria, limit: left, cursor });
    const [degraded] = page.degraded ?? [];
    if (degraded !== undefined)
      throw parseErrorMessage({ ...degraded, detail: {} } as unknown as ErrorMessage);
    total = Math.max(total, page.total);
    cursor = page.cursor;
    for (const entry of page.entries) {
      bytes += Buffer.byteLength(JSON.stringify(entry.content));
      if (bytes > REPLY_BYTES_MAX) throw tooLarge();
      entries.push(entry);
    }
  } while (cursor !== undefined && entries.length < limit);
  return { entries, total };
}

function criteriaOf(fields: Fields): Fields {
  return { keys: fields.keys, tags: fields.tags, tier: fields.tier };
}

/** Drops empty fields, because the SDK sends every field. */
function given(fields: Fields): Fields {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === null ||
    value === "" ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function listOf(fields: Fields, name: string): readonly unknown[] {
  const list = fields[name];
  if (!Array.isArray(list)) throw violation(name, "is a list");
  return list;
}

function noEntry(entry: EntryInput | undefined, index: number): StoreError[] {
  if (entry !== undefined) return [];
  const { code, message, detail, retryable } = violation("entries", "are objects with a `key` and `content`");
  return [{ index, key: null, code, message, detail, retryable }];
}

function violation(path: string, what: string): MemoryError {
  return new MemoryError("schema_violation", `\`${path}\` ${what}`, { path });
}

function tooLarge(): MemoryError {
  const message = `the entries have more than ${REPLY_BYTES_MAX} bytes: request fewer`;
  return new MemoryError("too_large", message, { limit: "messageBytes", max: REPLY_BYTES_MAX });
}
