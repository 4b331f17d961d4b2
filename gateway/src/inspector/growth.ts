import type { AgentMemory } from "@membus/agent-client";
import type { Filter, MemoryTier } from "@membus/protocol";
import type { BoundedReads } from "./bounded-reads.js";
import { entriesIn } from "./count-entries.js";
import type { Growth } from "./inspector-api.js";
import { countField, invalidField, optionalText, type Query } from "./query-fields.js";

const MINUTES_OF_DAY = 1_440;

/** Steps by range: number and seconds. */
const RANGES: Readonly<Record<string, { readonly count: number; readonly stepS: number }>> = {
  day: { count: 24, stepS: 3_600 },
  week: { count: 14, stepS: 43_200 },
  month: { count: 30, stepS: 86_400 },
};

/** A tier as one agent sees it. */
export interface Part {
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
}

export interface Steps {
  readonly range: string;
  readonly stepS: number;
  /** Start of each step in Unix seconds. */
  readonly starts: readonly number[];
}

/** Returns steps that begin at full hours or days of the page's time zone. */
export function stepsOf(query: Query, now: number): Steps {
  const range = optionalText(query, "range") ?? "week";
  const known = Object.hasOwn(RANGES, range) ? RANGES[range] : undefined;
  if (known === undefined) throw invalidField("range", `must be one of ${Object.keys(RANGES).join(", ")}`);
  const bounds = { min: -MINUTES_OF_DAY, max: MINUTES_OF_DAY, fallback: 0 };
  const zoneS = 60 * countField(query, "zone", bounds);
  const { count, stepS } = known;
  const last = Math.floor((now - zoneS) / stepS) * stepS + zoneS;
  return { range, stepS, starts: Array.from({ length: count }, (_, n) => last - (count - 1 - n) * stepS) };
}

/**
 * Counts the entries of all parts by the time at which they were created. Deleted entries are not counted.
 * @param parts undefined if they are not all known.
 */
export async function growthOf(
  parts: readonly Part[] | undefined,
  reads: BoundedReads,
  { range, stepS, starts }: Steps,
): Promise<Growth> {
  const countFrom = async (from: number): Promise<number | null> => {
    if (parts === undefined) return null;
    const where = createdIn(from, from + stepS);
    const counts = await Promise.all(
      parts.map(({ memory, tier }) => reads.read(() => entriesIn(memory, { tier, where }))),
    );
    return counts.reduce<number | null>(
      (sum, count) => (sum === null || count === null ? null : sum + count.entries),
      0,
    );
  };
  const steps = await Promise.all(starts.map(async (from) => ({ from, entries: await countFrom(from) })));
  return { range, step_s: stepS, steps };
}

function createdIn(from: number, until: number): Filter {
  return {
    all: [
      { field: "created", op: "gte", value: from },
      { field: "created", op: "lt", value: until },
    ],
  };
}
