import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { type Clock, delay, isNamespace, LIMITS, MemoryError } from "@membus/protocol";
import { type DocumentEntries, documentEntries } from "./document-entries.js";
import type { EvaluationOptions } from "./evaluation-options.js";
import type { EvaluationDocument, EvaluationQuery, EvaluationSet } from "./evaluation-set.js";

/** Documents that are looked at of each answer: what lies behind them counts as not found. */
const RANKED_COUNT = 50;
const BATCH_ENTRIES = 200;
/** How long an evaluation waits, in all, for documents that are still being embedded. */
const EMBEDDING_WAIT_S = 60;
const EMBEDDING_POLL_MS = 250;

/** What a host answered to one question. */
export interface Answer {
  readonly query: EvaluationQuery;
  /** Ids of documents, the best first, at most 50. */
  readonly ranked: readonly string[];
  /** From sending the request to having its reply, decoded. */
  readonly latencyMs: number;
  /** The host said that a part of it did not take part. */
  readonly degraded: boolean;
}

export interface Evaluation {
  readonly answers: readonly Answer[];
  readonly unreadableDates: readonly EvaluationDocument[];
}

export interface EvaluationServices {
  readonly memory: AgentMemory;
  /** Where documents are stored: of this evaluation alone. */
  readonly namespace: string;
  readonly clock: Clock;
  /** Once aborted, the evaluation rejects with the signal's reason. */
  readonly signal: AbortSignal;
  onProgress(stage: string, done: number, total: number): void;
}

/**
 * Stores the documents and asks the questions, one after the other.
 * @throws {MemoryError} naming the line of the first document that the host refuses, or what a request fails with.
 */
export async function runEvaluation(
  set: EvaluationSet,
  options: EvaluationOptions,
  services: EvaluationServices,
): Promise<Evaluation> {
  const stored = documentEntries(set.documents, options);
  const places = namespacesOf(set, stored, options, services.namespace);
  await storeDocuments(set, stored, services, places);
  const idByLine = new Map(set.documents.map(({ line, id }) => [line, id]));
  const ask = patiently(services.clock, (query) =>
    askOne(query, options, services, places.toAsk(query), idByLine),
  );
  const scored = scoredQueries(set, options);
  const answers: Answer[] = [];
  // The first question finds nothing prepared: it is asked once more than it is counted.
  if (scored[0] !== undefined) await ask(scored[0]);
  for (const query of scored) {
    answers.push(await ask(query));
    services.onProgress("asked", answers.length, scored.length);
  }
  return { answers, unreadableDates: stored.unreadableDates };
}

/** Those that count: not `main: false` unless all are asked for, and then only what names a document. */
function scoredQueries({ queries }: EvaluationSet, { all }: EvaluationOptions): EvaluationQuery[] {
  return queries.filter(({ main, gold }) => (all || main) && gold.length > 0);
}

interface Places {
  toStore(conv: string | undefined): string;
  toAsk(query: EvaluationQuery): string;
}

/** Namespaces are numbered: a `conv` may be any text. */
function namespacesOf(
  { queries }: EvaluationSet,
  { conversations }: DocumentEntries,
  options: EvaluationOptions,
  base: string,
): Places {
  if (!isNamespace(`${base}/c0`)) throw new TypeError(`${base} has too many segments for an evaluation`);
  if (!options.namespaces) return { toStore: () => base, toAsk: () => base };
  const asksAll = queries.find(({ conv }) => conv == null);
  if (asksAll !== undefined && conversations.length > LIMITS.subtreePartitions) {
    const most = `at most ${LIMITS.subtreePartitions} of the ${conversations.length} convs can be asked at once`;
    throw new TypeError(`queries.jsonl:${asksAll.line}: has no \`conv\`; ${most}: use --no-namespace`);
  }
  const numbers = new Map(conversations.map(({ conv }, index) => [conv, index]));
  const placeOf = (conv: string | undefined) => `${base}/c${numbers.get(conv)}`;
  return { toStore: placeOf, toAsk: ({ conv }) => (conv == null ? `${base}/**` : placeOf(conv)) };
}

async function storeDocuments(
  { documents }: EvaluationSet,
  { conversations }: DocumentEntries,
  { memory, signal, onProgress }: EvaluationServices,
  places: Places,
): Promise<void> {
  let stored = 0;
  for (const { conv, entries } of conversations) {
    const view = memory.inNamespace(places.toStore(conv));
    for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
      const batch = entries.slice(start, start + BATCH_ENTRIES);
      await storeBatch(view, batch, signal);
      stored += batch.length;
      onProgress("stored", stored, documents.length);
    }
  }
}

async function storeBatch(
  view: AgentMemory,
  batch: readonly EntryInput[],
  signal: AbortSignal,
): Promise<void> {
  const { errors } = await view.store(batch, { signal });
  const [first] = errors;
  if (first === undefined) return;
  const { line } = batch[first.index]!.key as { line: number };
  throw new MemoryError("runtime_error", `docs.jsonl:${line}: ${first.code}: ${first.message}`);
}

type Ask = (query: EvaluationQuery) => Promise<Answer>;

/** Asks again while an answer is incomplete: what a host cannot embed in time it embeds behind the stores. */
function patiently(clock: Clock, ask: Ask): Ask {
  let waitEndsAt: number | undefined;
  return async (query) => {
    const first = await ask(query);
    let answer = first;
    while (answer.degraded) {
      waitEndsAt ??= clock.now() + EMBEDDING_WAIT_S;
      if (clock.now() >= waitEndsAt) break;
      await delay(clock, EMBEDDING_POLL_MS);
      answer = await ask(query);
    }
    return { ...answer, latencyMs: first.latencyMs };
  };
}

async function askOne(
  query: EvaluationQuery,
  { tier, mode }: EvaluationOptions,
  { memory, clock, signal }: EvaluationServices,
  namespace: string,
  idByLine: ReadonlyMap<number, string>,
): Promise<Answer> {
  const request = { query: query.question, tier, mode, namespace };
  const startedAt = clock.now();
  const first = await memory.retrieve({ ...request, limit: RANKED_COUNT }, { signal });
  const latencyMs = (clock.now() - startedAt) * 1000;
  const entries = [...first.entries];
  // A page of long documents is cut to what a message holds.
  for (let { cursor } = first; cursor !== undefined && entries.length < RANKED_COUNT; ) {
    const page = await memory.retrieve(
      { ...request, limit: RANKED_COUNT - entries.length, cursor },
      { signal },
    );
    entries.push(...page.entries);
    cursor = page.cursor;
  }
  const ranked = entries.map(({ key }) => idByLine.get(key.line as number)!);
  return { query, ranked, latencyMs, degraded: first.degraded !== undefined };
}
