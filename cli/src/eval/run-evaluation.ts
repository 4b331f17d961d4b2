import type { AgentMemory, EntryInput } from "@membus/agent-client";
import { type Clock, delay, isNamespace, LIMITS, MemoryError } from "@membus/protocol";
import { type DocumentEntries, documentEntries } from "./document-entries.js";
import type { EvaluationOptions } from "./evaluation-options.js";
import type { EvaluationDocument, EvaluationQuery, EvaluationSet } from "./evaluation-set.js";

/** Number of documents ranked for each answer. Documents beyond count as not found. */
const RANKED_COUNT = 50;
const BATCH_ENTRIES = 200;
/** Total seconds that an evaluation waits for documents to be embedded. */
const EMBEDDING_WAIT_S = 60;
const EMBEDDING_POLL_MS = 250;

/** The answer of a host to one question. */
export interface Answer {
  readonly query: EvaluationQuery;
  /** Document ids, best first, at most 50. */
  readonly ranked: readonly string[];
  /** Milliseconds from sending the request to the decoded reply. */
  readonly latencyMs: number;
  /** The reply was marked as degraded. */
  readonly degraded: boolean;
}

export interface Evaluation {
  readonly answers: readonly Answer[];
  readonly unreadableDates: readonly EvaluationDocument[];
  /** Documents that are too large for the host. They were not stored. */
  readonly tooLarge: readonly EvaluationDocument[];
}

export interface EvaluationServices {
  readonly memory: AgentMemory;
  /** Namespace of the documents, used only by this evaluation. */
  readonly namespace: string;
  readonly clock: Clock;
  /** When aborted, the evaluation rejects with the signal's reason. */
  readonly signal: AbortSignal;
  onProgress(stage: string, done: number, total: number): void;
}

/**
 * Stores the documents, then runs the queries one after the other. Documents that are too large are left out.
 * @throws {MemoryError} naming the first document that the host refuses for another reason, or the error of a
 * failed request.
 */
export async function runEvaluation(
  set: EvaluationSet,
  options: EvaluationOptions,
  services: EvaluationServices,
): Promise<Evaluation> {
  const stored = documentEntries(set.documents, options);
  const namespaces = namespacesOf(set, stored, options, services.namespace);
  const documentByLine = new Map(set.documents.map((document) => [document.line, document]));
  const refusedLines = await storeDocuments(set, stored, services, namespaces);
  const answerOf = retryWhileDegraded(services.clock, (query) =>
    runQuery(query, options, services, namespaces.toSearch(query), documentByLine),
  );
  const scored = scoredQueries(set, options);
  const answers: Answer[] = [];
  // The first question warms up the host. It is sent twice and counted once.
  if (scored[0] !== undefined) await answerOf(scored[0]);
  for (const query of scored) {
    answers.push(await answerOf(query));
    services.onProgress("answered", answers.length, scored.length);
  }
  const tooLarge = refusedLines.map((line) => documentByLine.get(line)!);
  return { answers, unreadableDates: stored.unreadableDates, tooLarge };
}

/**
 * Returns the questions that are scored: without `main: false` unless `all` is set, and only if they name
 * documents.
 */
function scoredQueries({ queries }: EvaluationSet, { all }: EvaluationOptions): EvaluationQuery[] {
  return queries.filter(({ main, gold }) => (all || main) && gold.length > 0);
}

interface EvaluationNamespaces {
  toStore(conv: string | undefined): string;
  toSearch(query: EvaluationQuery): string;
}

/** Namespaces are numbered, because a `conv` can be any text. */
function namespacesOf(
  { queries }: EvaluationSet,
  { conversations }: DocumentEntries,
  options: EvaluationOptions,
  base: string,
): EvaluationNamespaces {
  if (!isNamespace(`${base}/c0`))
    throw new TypeError(
      `namespace ${base} has too many segments for an evaluation: choose a shorter --namespace`,
    );
  if (!options.namespaces) return { toStore: () => base, toSearch: () => base };
  const searchesAll = queries.find(({ conv }) => conv == null);
  if (searchesAll !== undefined && conversations.length > LIMITS.subtreePartitions) {
    const most = `at most ${LIMITS.subtreePartitions} of the ${conversations.length} convs can be searched at once`;
    throw new TypeError(`question ${searchesAll.id} has no \`conv\`, but ${most}: use --no-namespace`);
  }
  const numbers = new Map(conversations.map(({ conv }, index) => [conv, index]));
  const namespaceOf = (conv: string | undefined) => `${base}/c${numbers.get(conv)}`;
  return { toStore: namespaceOf, toSearch: ({ conv }) => (conv == null ? `${base}/**` : namespaceOf(conv)) };
}

/** @returns the lines of the documents that are too large. */
async function storeDocuments(
  { documents }: EvaluationSet,
  { conversations }: DocumentEntries,
  { memory, signal, onProgress }: EvaluationServices,
  namespaces: EvaluationNamespaces,
): Promise<number[]> {
  const tooLarge: number[] = [];
  let handled = 0;
  for (const { conv, entries } of conversations) {
    const view = memory.inNamespace(namespaces.toStore(conv));
    for (let start = 0; start < entries.length; start += BATCH_ENTRIES) {
      const batch = entries.slice(start, start + BATCH_ENTRIES);
      tooLarge.push(...(await storeBatch(view, batch, documents, signal)));
      handled += batch.length;
      onProgress("stored", handled, documents.length);
    }
  }
  return tooLarge;
}

/** @returns the lines of the documents that are too large. */
async function storeBatch(
  view: AgentMemory,
  batch: readonly EntryInput[],
  documents: readonly EvaluationDocument[],
  signal: AbortSignal,
): Promise<number[]> {
  const { errors } = await view.store(batch, { signal, partial: true });
  const lineAt = (index: number) => (batch[index]!.key as { line: number }).line;
  const refusal = errors.find(({ code }) => code !== "too_large");
  if (refusal === undefined) return errors.map(({ index }) => lineAt(index));
  const document = documents.find(({ line }) => line === lineAt(refusal.index))!;
  throw new MemoryError("runtime_error", `document ${document.id}: ${refusal.code}: ${refusal.message}`);
}

type RunQuery = (query: EvaluationQuery) => Promise<Answer>;

/**
 * Repeats a query while its answer is degraded, because entries that are not embedded in time are embedded in
 * the background.
 */
function retryWhileDegraded(clock: Clock, run: RunQuery): RunQuery {
  let waitEndsAt: number | undefined;
  return async (query) => {
    const first = await run(query);
    let answer = first;
    while (answer.degraded) {
      waitEndsAt ??= clock.now() + EMBEDDING_WAIT_S;
      if (clock.now() >= waitEndsAt) break;
      await delay(clock, EMBEDDING_POLL_MS);
      answer = await run(query);
    }
    return { ...answer, latencyMs: first.latencyMs };
  };
}

async function runQuery(
  query: EvaluationQuery,
  { tier, mode }: EvaluationOptions,
  { memory, clock, signal }: EvaluationServices,
  namespace: string,
  documentByLine: ReadonlyMap<number, EvaluationDocument>,
): Promise<Answer> {
  const request = { query: query.question, tier, mode, namespace };
  const startedAt = clock.now();
  const first = await memory.retrieve({ ...request, limit: RANKED_COUNT }, { signal });
  const latencyMs = (clock.now() - startedAt) * 1000;
  const entries = [...first.entries];
  // Pages with long documents are cut to the message size.
  for (let { cursor } = first; cursor !== undefined && entries.length < RANKED_COUNT; ) {
    const page = await memory.retrieve(
      { ...request, limit: RANKED_COUNT - entries.length, cursor },
      { signal },
    );
    entries.push(...page.entries);
    cursor = page.cursor;
  }
  const ranked = entries.map(({ key }) => documentByLine.get(key.line as number)!.id);
  return { query, ranked, latencyMs, degraded: first.degraded !== undefined };
}
