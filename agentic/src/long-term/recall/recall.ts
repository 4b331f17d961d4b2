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
import type { NamespaceView } from "../namespace-view.js";
import { type LongTermItem, MEMORY_KINDS, type MemoryKind, readItem } from "./memory.js";
import { recalledText, withoutRecalled } from "./recalled-text.js";

export interface RecallOptions {
  /**
   * Maximum number of memories, integer 1..1000.
   * @default 5
   */
  readonly limit?: number | undefined;
  /** Unix seconds: facts that were true then, even if they were superseded since. Absent: current facts. */
  readonly asOf?: number | undefined;
  /**
   * Kinds of memories: "fact", "experience", "guideline" and "tool_call".
   * @default ["fact", "experience", "guideline"]
   */
  readonly kinds?: readonly MemoryKind[] | undefined;
  /**
   * Minimum score, 0..1. One unrelated short text in a hundred reaches 0.2.
   * @default 0.2
   */
  readonly minScore?: number | undefined;
  /** Category of facts. */
  readonly category?: string | undefined;
  /** Tags. The metadata `tags` of a memory must contain one of them, or all with `tagsMode` "all". */
  readonly tags?: readonly string[] | undefined;
  /** @default "any" */
  readonly tagsMode?: "any" | "all" | undefined;
  /** Unix seconds of the event: from `since` (inclusive) to `until` (exclusive). */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /**
   * Whether to search only memories in quarantine.
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
  if (!Array.isArray(value) || value.length === 0)
    throw new TypeError(`${name} must be a non-empty list of kinds`);
  for (const kind of value) kindOption(kind, name);
};

const textOption: OptionRule = (value, name) => {
  if (typeof value !== "string" || value === "") throw new TypeError(`${name} must be a non-empty string`);
};

const tagsOption: OptionRule = (value, name) => {
  if (!Array.isArray(value) || value.length < 1 || value.length > 50) {
    throw new TypeError(`${name} must be a list of 1..50 strings`);
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

/** The retrieved memories, best first. */
export interface Recall {
  readonly memories: readonly LongTermItem[];
  readonly cost: Cost;
  /**
   * Formats the memories for a prompt. "" if there are none. The text is escaped, and `record` ignores it if
   * it comes back in a message.
   */
  asText(): string;
}

export async function recall(
  view: NamespaceView,
  query: string,
  options: ResolvedRecallOptions,
  meter: CostMeter,
): Promise<Recall> {
  const { limit, minScore, since, until } = options;
  const given = query.slice(0, LIMITS.queryLength).toWellFormed();
  const entries =
    given.trim() === ""
      ? []
      : await view.page({
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

/** Returns an empty result. */
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

/** A text, or messages. The query is then their latest user message. null: no query. */
export type RecallQuery = string | ChatMessage | readonly ChatMessage[] | null;

/** Returns the text of the latest user message, or of the latest message if there is none. */
export function queryOf(query: RecallQuery): string {
  if (typeof query === "string") return query;
  if (query === null) return "";
  const messages = Array.isArray(query) ? (query as readonly ChatMessage[]) : [query as ChatMessage];
  const withText = messages
    .map((message) => ({ role: message.role, text: withoutRecalled(textOf(message)) }))
    .filter(({ text }) => text !== "");
  return (withText.findLast(({ role }) => role === "user") ?? withText.at(-1))?.text ?? "";
}
