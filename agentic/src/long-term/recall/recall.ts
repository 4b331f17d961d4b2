import {
  type Filter,
  LIMITS,
  type OptionsOf,
  option,
  optionSet,
  parseOptions,
  type ResolvedOptionsOf,
  systemClock,
} from "@membus/protocol";
import { textOf } from "../../conversation/index.js";
import { kindIs } from "../../kind-filter.js";
import { type ChatMessage, type Cost, CostMeter } from "../../model/index.js";
import { TimeSchema } from "../../option-schemas.js";
import { currentAt, trueAt } from "../facts/fact.js";
import type { NamespaceView } from "../namespace-view.js";
import { type LongTermItem, MEMORY_KINDS, readItem } from "./memory.js";
import { newestFirst } from "./newest-first.js";
import { questionRange } from "./question-range.js";
import { linesWithin, recalledText, withoutRecalled } from "./recalled-text.js";

export const RecallOptionsSchema = optionSet({
  /** Maximum number of memories. */
  limit: option.integer(1, LIMITS.retrieveLimit).default(5),
  /** Unix seconds: facts that were true then, even if they were superseded since. Absent: current facts. */
  asOf: TimeSchema.optional(),
  /** Kinds of memories: "fact", "experience", "guideline" and "tool_call". */
  kinds: option.list(option.choice(...MEMORY_KINDS), 1).default(["fact", "experience", "guideline"]),
  /** Minimum score. One unrelated short text in a hundred reaches 0.2. Ignored with a range of time. */
  minScore: option.number(0, 1).default(0.2),
  /** Category of facts. */
  category: option.text().optional(),
  /** Tags. The metadata `tags` of a memory must contain one of them, or all with `tagsMode` "all". */
  tags: option.list(option.text(), 1, 50).optional(),
  tagsMode: option.choice("any", "all").default("any"),
  /** Unix seconds of the event: from `since` (inclusive) to `until` (exclusive). */
  since: TimeSchema.optional(),
  until: TimeSchema.optional(),
  /**
   * Whether an English expression of time in the query, such as "last week" or "in May", becomes `since` and
   * `until`. If the rest of the query has no subject, the memories of the range are
   * returned, the newest first. Ignored with `since` or `until`.
   */
  resolveDates: option.boolean().default(false),
  /** Unix seconds that the expressions refer to. Absent: the time of the call. */
  now: TimeSchema.optional(),
  /** Whether to search only memories in quarantine. */
  quarantined: option.boolean().default(false),
});

export interface RecallOptions extends OptionsOf<typeof RecallOptionsSchema> {}
export interface ResolvedRecallOptions extends ResolvedOptionsOf<typeof RecallOptionsSchema> {}

export const RECALL_DEFAULTS = parseOptions(RecallOptionsSchema, {});

/** The retrieved memories, best first. */
export interface Recall {
  readonly memories: readonly LongTermItem[];
  readonly cost: Cost;
  /**
   * Formats the memories for a prompt. "" if there are none. Each has its date. Facts of the same kind come
   * together, the newest first. Memories that exceed `maxTokens` are left out, the worst first. A best memory
   * that is too long is shortened. The text is escaped, and `record` ignores it if it comes back in a message.
   * @throws {TypeError} for an option out of range.
   */
  asText(options?: RecallTextOptions): string;
}

export const RecallTextOptionsSchema = optionSet({
  /** Maximum number of tokens of the text. */
  maxTokens: option.integer(1, 1_000_000).default(2_000),
  /** Counts the tokens of a text. Absent: an estimate of three bytes per token. */
  count: option
    .value<(text: string) => number>((given) => typeof given === "function", "must be a function")
    .optional(),
});

export interface RecallTextOptions extends OptionsOf<typeof RecallTextOptionsSchema> {}

const BYTES_PER_TOKEN = 3;
const estimate = (text: string) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);

/** Returns the memories for a query. Without a query: the newest of the range, or none without a range. */
export async function recall(
  view: NamespaceView,
  query: string,
  options: ResolvedRecallOptions,
  meter: CostMeter,
): Promise<Recall> {
  const { limit, minScore } = options;
  const { query: rest, since, until } = searchOf(query, options, meter.clock.now());
  const given = rest.slice(0, LIMITS.queryLength).toWellFormed();
  const hasQuery = given.trim() !== "";
  const hasRange = since !== undefined || until !== undefined;
  const request = { where: whereOf(options, meter.clock.now()), limit, since, until };
  const min_score = hasRange ? 0 : minScore;
  const search = hasQuery ? { query: given, min_score } : { order: "newest" as const };
  const entries = hasQuery || hasRange ? await view.page({ ...request, ...search }) : [];
  return recallOf(
    entries.map(readItem).filter((item) => item !== undefined),
    meter,
  );
}

/** Returns the query and the range, which may be in the query. */
function searchOf(
  query: string,
  { since, until, resolveDates, now }: ResolvedRecallOptions,
  clockNow: number,
): { readonly query: string; readonly since?: number | undefined; readonly until?: number | undefined } {
  const isGiven = since !== undefined || until !== undefined;
  const found = resolveDates && !isGiven ? questionRange(query, now ?? clockNow) : undefined;
  return found ?? { query, since, until };
}

/** Returns an empty result. */
export function recallNothing(): Recall {
  return recallOf([], new CostMeter(systemClock));
}

export function recallOf(memories: readonly LongTermItem[], meter: CostMeter): Recall {
  return { memories, cost: meter.cost, asText: (options = {}) => promptText(memories, options) };
}

function promptText(memories: readonly LongTermItem[], options: RecallTextOptions): string {
  const { maxTokens, count = estimate } = parseOptions(RecallTextOptionsSchema, options);
  const lines = linesWithin(
    memories.map((item) => ({ ...lineOf(item), item })),
    maxTokens,
    count,
  );
  const order = newestFirst(lines.map(({ item }) => item));
  return recalledText(lines.toSorted((a, b) => order.indexOf(a.item) - order.indexOf(b.item)));
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
