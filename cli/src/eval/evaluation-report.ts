import type { EvaluationOptions } from "./evaluation-options.js";
import type { EvaluationSet } from "./evaluation-set.js";
import { type GoldRanks, type Metrics, meanMetrics, percentile, questionMetrics } from "./metrics.js";
import type { Answer, Evaluation } from "./run-evaluation.js";

/** Result of one question, which a later run can be compared with. */
export interface QuestionResult {
  readonly id: string;
  readonly type: string;
  readonly ranks: GoldRanks;
}

/** Report of `membus eval --json`. Names are snake_case, as in the file. */
export interface EvaluationReport {
  readonly metrics: Metrics;
  readonly by_type: Readonly<Record<string, Metrics & { readonly queries: number }>>;
  /** Number of scored questions. */
  readonly queries: number;
  /** Number of questions that were not scored: without gold documents, or with `main: false`. */
  readonly queries_unscored: number;
  readonly documents: number;
  /** Number of documents that are too large. They were not stored, so they count as not found. */
  readonly documents_too_large: number;
  /** Latency of requests for 50 entries, one at a time. */
  readonly latency_ms: { readonly p50: number; readonly p95: number };
  /** Number of documents stored without a date because it could not be parsed. */
  readonly dates_unreadable: number;
  /** Number of questions with an incomplete (degraded) answer. */
  readonly degraded: number;
  readonly settings: Omit<EvaluationOptions, "contextTurns"> & { readonly context: number };
  readonly questions: readonly QuestionResult[];
}

export function evaluationReport(
  { documents, queries }: EvaluationSet,
  { contextTurns, ...switches }: EvaluationOptions,
  { answers, unreadableDates, tooLarge }: Evaluation,
): EvaluationReport {
  const questions = answers.map(questionResult);
  const types = [...new Set(questions.map(({ type }) => type))].sort();
  const latencies = answers.map(({ latencyMs }) => latencyMs);
  return {
    metrics: metricsOf(questions),
    by_type: Object.fromEntries(types.map((type) => [type, typeMetrics(questions, type)])),
    queries: questions.length,
    queries_unscored: queries.length - questions.length,
    documents: documents.length,
    documents_too_large: tooLarge.length,
    latency_ms: { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95) },
    dates_unreadable: unreadableDates.length,
    degraded: answers.filter(({ degraded }) => degraded).length,
    settings: { ...switches, context: contextTurns },
    questions,
  };
}

function questionResult({ query: { id, type, gold }, ranked }: Answer): QuestionResult {
  const rankOf = new Map(ranked.map((document, index) => [document, index + 1]));
  return { id, type, ranks: gold.map((document) => rankOf.get(document) ?? null) };
}

function typeMetrics(questions: readonly QuestionResult[], wanted: string): Metrics & { queries: number } {
  const ofType = questions.filter(({ type }) => type === wanted);
  return { ...metricsOf(ofType), queries: ofType.length };
}

function metricsOf(questions: readonly QuestionResult[]): Metrics {
  return meanMetrics(questions.map(({ ranks }) => questionMetrics(ranks)));
}
