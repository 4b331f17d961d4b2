import { type AgentMemory, type EntryInput, type KeyReference, updateWithRetry } from "@membus/agent-client";
import { LIMITS, type MemoryEntry, type OptionsOf, option, optionSet, parseOptions } from "@membus/protocol";
import { keysOf, LongTermOptionsSchema, readItem, subjectNamespace } from "../long-term/index.js";

/** Factor for the importance of a memory that was not useful. */
const USELESS_FACTOR = 0.75;
const IMPORTANCE_MIN = 0.1;

/** Maximum number of attempts. Each conflict means that another writer changed the memory. */
const ATTEMPTS_MAX = 8;

const ObserveOptionsSchema = optionSet({
  ...LongTermOptionsSchema.pick({ subject: true, tier: true }).shape,
  /** Whether to report the changes without making them. */
  dryRun: option.boolean().default(false),
});

export interface ObserveOptions extends OptionsOf<typeof ObserveOptionsSchema> {}

/** The importance of a memory before and after: 0.1..1, or less if an application set it lower. */
export interface ObservedMemory {
  readonly id: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

export interface Observation {
  /** Existing memories, in no order, also if their importance is already at its limit. */
  readonly memories: readonly ObservedMemory[];
  /** Ids of memories that other writers kept changing. They are unchanged. */
  readonly conflicts: readonly string[];
}

/**
 * Records whether memories were useful. Each time a memory was not useful, its importance is multiplied by
 * 0.75, down to 0.1. Each time it was useful, its importance is divided by 0.75, up to 1. An id that is given
 * twice counts once.
 * @throws {MemoryError} for failures of the host.
 * @throws {TypeError} for more than 250 ids, an unknown option or a value out of range.
 */
export async function observe(
  memory: AgentMemory,
  ids: readonly string[],
  useful: boolean,
  options: ObserveOptions,
): Promise<Observation> {
  const { subject, tier, dryRun } = parseOptions(ObserveOptionsSchema, options);
  const keysMax = Math.floor(LIMITS.criteriaKeys / 4);
  if (ids.length > keysMax)
    throw new TypeError(`too many ids: ${ids.length}, limit ${keysMax}. Split them into several calls`);
  if (ids.length === 0) return { memories: [], conflicts: [] };
  const view = memory.inNamespace(subjectNamespace(subject));
  const observed = new Map<string, ObservedMemory>();
  let keys: KeyReference[] = ids.flatMap(keysOf);
  const left = await updateWithRetry(
    () => readAll(view, { keys, tier }),
    (entries) => (entries.length === 0 ? undefined : entries),
    async (entries) => {
      const changed = entries.map((entry) => withNewImportance(entry, useful));
      const errors = dryRun ? [] : (await view.store(changed, { partial: true })).errors;
      const failed = new Set(errors.map(({ index }) => entries[index]!));
      for (const entry of entries)
        if (!failed.has(entry)) observed.set(entry.key_hash, toObserved(entry, useful));
      keys = [...failed].map(({ key }) => key);
      return keys.length === 0 ? [] : undefined;
    },
    { attemptsMax: ATTEMPTS_MAX, onExhausted: () => readAll(view, { keys, tier }) },
  );
  return { memories: [...observed.values()], conflicts: (left ?? []).map(idOf) };
}

function toObserved(entry: MemoryEntry, useful: boolean): ObservedMemory {
  const item = readItem(entry);
  return {
    id: idOf(entry),
    text: item?.text ?? "",
    before: entry.importance,
    after: newImportance(entry, useful),
  };
}

function idOf(entry: MemoryEntry): string {
  return readItem(entry)?.id ?? entry.key_hash;
}

/** Returns the new importance. An importance below the minimum does not decrease further. */
function newImportance({ importance }: MemoryEntry, useful: boolean): number {
  if (useful) return Math.min(1, importance / USELESS_FACTOR);
  return Math.max(Math.min(importance, IMPORTANCE_MIN), importance * USELESS_FACTOR);
}

function withNewImportance(entry: MemoryEntry, useful: boolean): EntryInput {
  return { ...entry, importance: newImportance(entry, useful), if_revision: entry.revision } as EntryInput;
}

async function readAll(view: AgentMemory, request: Parameters<AgentMemory["entries"]>[0]) {
  const found: MemoryEntry[] = [];
  for await (const entry of view.entries(request)) found.push(entry);
  return found;
}
