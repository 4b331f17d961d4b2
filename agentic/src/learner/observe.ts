import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { LIMITS, type MemoryEntry, type MemoryTier } from "@membus/protocol";
import { aboutNamespace, keysOf, LONG_TERM_DEFAULTS } from "../long-term/index.js";

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
}

/**
 * Tells whether memories were of use: their score counts for a quarter less each time that they were not, down to a tenth,
 * and a third more each time that they were, up to the whole.
 * @returns how many of them there were.
 * @throws {MemoryError} for what the host reports. @throws {TypeError} for more than 250 ids.
 */
export async function observe(
  memory: AgentMemory,
  ids: readonly string[],
  useful: boolean,
  { about, tier = LONG_TERM_DEFAULTS.tier }: ObserveOptions,
): Promise<number> {
  const keysMax = Math.floor(LIMITS.criteriaKeys / 4);
  if (ids.length > keysMax) throw new TypeError(`at most ${keysMax} ids at once, got ${ids.length}`);
  if (ids.length === 0) return 0;
  const view = memory.inNamespace(aboutNamespace(about));
  let left: readonly MemoryEntry[] = await readAll(view, { keys: ids.flatMap(keysOf), tier });
  const count = left.length;
  for (let attempt = 0; attempt < ATTEMPTS_MAX && left.length > 0; attempt++) {
    const { errors } = await view.store(left.map((entry) => weighed(entry, useful)));
    const keys = errors.map(({ index }) => left[index]!.key);
    left = keys.length === 0 ? [] : await readAll(view, { keys, tier });
  }
  return count;
}

function weighed(entry: MemoryEntry, useful: boolean): EntryInput {
  const importance = useful ? entry.importance / STEP : entry.importance * STEP;
  const bounded = Math.min(1, Math.max(IMPORTANCE_MIN, importance));
  return { ...entry, importance: bounded, if_revision: entry.revision } as EntryInput;
}

async function readAll(view: AgentMemory, request: Parameters<AgentMemory["entries"]>[0]) {
  const found: MemoryEntry[] = [];
  for await (const entry of view.entries(request)) found.push(entry);
  return found;
}
