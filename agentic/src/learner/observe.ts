import type { AgentMemory, EntryInput } from "@membus/agent-client";
import {
  booleanOption,
  choiceOption,
  LIMITS,
  type MemoryEntry,
  type MemoryTier,
  type OptionRule,
  resolveOptions,
  TIERS,
} from "@membus/protocol";
import { aboutNamespace, aboutOption, keysOf, LONG_TERM_DEFAULTS, readItem } from "../long-term/index.js";

/** What a memory that was of no use has left of its importance. */
const STEP = 0.75;
const IMPORTANCE_MIN = 0.1;

/** Each time that a change fails, somebody else has changed the memory. */
const ATTEMPTS_MAX = 8;

export interface ObserveOptions {
  /** What the memories are about, as of `LongTermOptions`. */
  readonly about: string;
  /** Where they are kept. @default "episodic" */
  readonly tier?: MemoryTier | undefined;
  /**
   * Tells what would be changed, and changes nothing.
   * @default false
   */
  readonly dryRun?: boolean | undefined;
}

/** What a memory counts for, and counted for before: 0.1..1, or less where somebody has set that. */
export interface ObservedMemory {
  readonly id: string;
  readonly text: string;
  readonly before: number;
  readonly after: number;
}

export interface Observation {
  /** Those that there are, in no order; also where nothing changes, as it counts for the most or the least already. */
  readonly memories: readonly ObservedMemory[];
  /** Ids of memories that others have changed all the time: they count for what they did. */
  readonly conflicts: readonly string[];
}

/**
 * Tells whether memories were of use: their score counts for a quarter less each time that they were not, down to a tenth,
 * and a third more each time that they were, up to the whole. An id that is given twice counts once.
 * @throws {MemoryError} for what the host reports.
 * @throws {TypeError} for more than 250 ids, an unknown option or a value out of range.
 */
export async function observe(
  memory: AgentMemory,
  ids: readonly string[],
  useful: boolean,
  options: ObserveOptions,
): Promise<Observation> {
  const { about, tier, dryRun } = resolveObserveOptions(options);
  const keysMax = Math.floor(LIMITS.criteriaKeys / 4);
  if (ids.length > keysMax) throw new TypeError(`at most ${keysMax} ids at once, got ${ids.length}`);
  if (ids.length === 0) return { memories: [], conflicts: [] };
  const view = memory.inNamespace(aboutNamespace(about));
  const observed = new Map<string, ObservedMemory>();
  let left: readonly MemoryEntry[] = await readAll(view, { keys: ids.flatMap(keysOf), tier });
  for (let attempt = 0; attempt < ATTEMPTS_MAX && left.length > 0; attempt++) {
    const errors = dryRun ? [] : (await view.store(left.map((entry) => weighed(entry, useful)))).errors;
    const failed = new Set(errors.map(({ index }) => left[index]!));
    for (const entry of left) if (!failed.has(entry)) observed.set(entry.key_hash, told(entry, useful));
    const keys = [...failed].map(({ key }) => key);
    left = keys.length === 0 ? [] : await readAll(view, { keys, tier });
  }
  return { memories: [...observed.values()], conflicts: left.map(idOf) };
}

function resolveObserveOptions(options: ObserveOptions) {
  return resolveOptions<{ about: string; tier: MemoryTier; dryRun: boolean }>(
    options,
    { about: "", tier: LONG_TERM_DEFAULTS.tier, dryRun: false },
    { about: aboutOption, tier: choiceOption(...TIERS) as OptionRule, dryRun: booleanOption },
  );
}

function told(entry: MemoryEntry, useful: boolean): ObservedMemory {
  const item = readItem(entry);
  return {
    id: idOf(entry),
    text: item?.text ?? "",
    before: entry.importance,
    after: weightOf(entry, useful),
  };
}

function idOf(entry: MemoryEntry): string {
  return readItem(entry)?.id ?? entry.key_hash;
}

/** One that somebody has set lower stays so. */
function weightOf({ importance }: MemoryEntry, useful: boolean): number {
  if (useful) return Math.min(1, importance / STEP);
  return Math.max(Math.min(importance, IMPORTANCE_MIN), importance * STEP);
}

function weighed(entry: MemoryEntry, useful: boolean): EntryInput {
  return { ...entry, importance: weightOf(entry, useful), if_revision: entry.revision } as EntryInput;
}

async function readAll(view: AgentMemory, request: Parameters<AgentMemory["entries"]>[0]) {
  const found: MemoryEntry[] = [];
  for await (const entry of view.entries(request)) found.push(entry);
  return found;
}
