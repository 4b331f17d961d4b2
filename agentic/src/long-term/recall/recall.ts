import {
  booleanOption,
  choiceOption,
  type Filter,
  integerOption,
  LIMITS,
  type OptionRule,
  optionalOption,
  type ResolvedOptions,
  resolveOptions,
  systemClock,
} from "@membus/protocol";
import { textOf } from "../../conversation/index.js";
import { kindIs } from "../../kind-filter.js";
import { type ChatMessage, type Cost, CostMeter } from "../../model/index.js";
import { currentAt, trueAt } from "../facts/fact.js";
import { fractionOption, timeOption } from "../long-term-options.js";
import type { NamespaceView } from "../shelf.js";
import { type LongTermItem, MEMORY_KINDS, type MemoryKind, readItem } from "./memory.js";
import { recalledText, withoutRecalled } from "./recalled-text.js";

export interface RecallOptions {
  /**
   * Most memories that are given, integer 1..1000.
   * @default 5
   */
  readonly limit?: number | undefined;
  /** Unix seconds: facts that were true then, whatever has taken their place since. Absent: what is true now. */
  readonly asOf?: number | undefined;
  /**
   * What is looked for: of "fact", "experience", "guideline" and "tool_call".
   * @default ["fact", "experience", "guideline"]
   */
  readonly kinds?: readonly MemoryKind[] | undefined;
  /**
   * What answers less well is left out, 0..1. 0.2 is what one unrelated short text in a hundred has.
   * @default 0.2
   */
  readonly minScore?: number | undefined;
  /** Only facts of this category. */
  readonly category?: string | undefined;
  /** Only what has one of these in its metadata `tags`; with `tagsMode` "all", all of them. */
  readonly tags?: readonly string[] | undefined;
  /** @default "any" */
  readonly tagsMode?: "any" | "all" | undefined;
  /** Unix seconds, `since` included and `until` not: only what was so within. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /**
   * Looks among what was not promoted, and nowhere else.
   * @default false
   */
  readonly quarantined?: boolean | undefined;
}

export const RECALL_DEFAULTS = Object.freeze({
  limit: 5,
  kinds: Object.freeze(["fact", "experience", "guideline"] as const),
  minScore: 0.2,
  tagsMode: "any" as const,
  quarantined: false,
});

export type ResolvedRecallOptions = ResolvedOptions<
  Pick<RecallOptions, "limit" | "kinds" | "minScore" | "tagsMode" | "quarantined">
> &
  Pick<RecallOptions, "asOf" | "category" | "tags" | "since" | "until">;

const kindOption = choiceOption(...MEMORY_KINDS);

const kindsOption: OptionRule = (value, name) => {
  if (!Array.isArray(value) || value.length === 0) throw new TypeError(`${name} must be a list of kinds`);
  for (const kind of value) kindOption(kind, name);
};

const textOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be a non-empty text`);
};

const tagsOption: OptionRule = (value, name) => {
  if (!Array.isArray(value) || value.length < 1 || value.length > 50) {
    throw new TypeError(`${name} must be a list of 1..50 texts`);
  }
  for (const tag of value) textOption(tag, name);
};

/** @throws {TypeError} for an unknown option or a value out of range. */
export function resolveRecallOptions(input: RecallOptions): ResolvedRecallOptions {
  return resolveOptions<ResolvedRecallOptions>(input, RECALL_DEFAULTS, {
    limit: integerOption(1, LIMITS.retrieveLimit),
    asOf: optionalOption(timeOption),
    kinds: kindsOption,
    minScore: fractionOption,
    category: optionalOption(textOption),
    tags: optionalOption(tagsOption),
    tagsMode: choiceOption("any", "all"),
    since: optionalOption(timeOption),
    until: optionalOption(timeOption),
    quarantined: booleanOption,
  });
}

/** What was recalled, the best first. */
export interface Recall {
  readonly memories: readonly LongTermItem[];
  readonly cost: Cost;
  /**
   * For a prompt; "" where there is nothing. Nothing in it can close its block, and `record` does not take it for news when
   * it comes back in a message.
   */
  asText(): string;
}

export async function recall(
  shelf: NamespaceView,
  query: string,
  options: ResolvedRecallOptions,
  meter: CostMeter,
): Promise<Recall> {
  const { limit, minScore, since, until } = options;
  const given = query.slice(0, LIMITS.queryLength).toWellFormed();
  const entries =
    given.trim() === ""
      ? []
      : await shelf.page({
          query: given,
          where: whereOf(options, meter.clock.now()),
          limit,
          min_score: minScore,
          since,
          until,
        });
  return recallOf(
    entries.map(readItem).filter((item) => item !== undefined),
    meter,
  );
}

/** Where nothing is looked for. */
export function recallNothing(): Recall {
  return recallOf([], new CostMeter(systemClock));
}

export function recallOf(memories: readonly LongTermItem[], meter: CostMeter): Recall {
  return { memories, cost: meter.cost, asText: () => recalledText(memories.map(lineOf)) };
}

export function whereOf(
  { kinds, asOf, category, tags, tagsMode }: ResolvedRecallOptions,
  now: number,
): Filter {
  const all: Filter[] = [kindIs(...kinds), asOf === undefined ? currentAt(now) : trueAt(asOf)];
  if (category !== undefined) all.push({ field: "metadata.category", op: "eq", value: category });
  const tagged = (tags ?? []).map((value): Filter => ({ field: "metadata.tags", op: "eq", value }));
  if (tagged.length > 0) all.push(tagsMode === "all" ? { all: tagged } : { any: tagged });
  return { all };
}

export function lineOf({ kind, id, text, occurredAt, record }: LongTermItem) {
  const day = new Date(occurredAt * 1000).toISOString().slice(0, 10);
  const trust = typeof record.metadata.trust === "string" ? `, by ${record.metadata.trust}` : "";
  return { id, label: `${kind} of ${day}${trust}`, text };
}

/** A text, or what messages ask for; null for nothing. */
export type RecallQuery = string | ChatMessage | readonly ChatMessage[] | null;

/** What messages ask for: the latest of the user's, else the latest at all. */
export function queryOf(query: RecallQuery): string {
  if (typeof query === "string") return query;
  if (query === null) return "";
  const messages = Array.isArray(query) ? (query as readonly ChatMessage[]) : [query as ChatMessage];
  const asked = messages
    .map((message) => ({ role: message.role, text: withoutRecalled(textOf(message)) }))
    .filter(({ text }) => text !== "");
  return (asked.findLast(({ role }) => role === "user") ?? asked.at(-1))?.text ?? "";
}
