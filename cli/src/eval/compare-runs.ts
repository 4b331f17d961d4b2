import { Random } from "@membus/conformance";
import type { QuestionResult } from "./evaluation-report.js";
import { METRIC_NAMES, type MetricName, questionMetrics } from "./metrics.js";

const RESAMPLES = 2_000;
const SEED = 1;

/** Mean of this run minus the baseline's, with the 95 % interval of the resampled differences. */
export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

export interface Comparison {
  /** Number of questions in both runs. Only these are compared. */
  readonly queries: number;
  readonly only_here: number;
  readonly only_in_baseline: number;
  readonly differences: Readonly<Record<MetricName, Difference>>;
}

/**
 * Compares two runs over the questions that they share. Returns paired differences with 95 % intervals, by
 * bootstrap over the questions (2,000 deterministic resamples).
 * @throws {TypeError} if they share no questions.
 */
export function compareRuns(
  current: readonly QuestionResult[],
  baseline: readonly QuestionResult[],
): Comparison {
  const earlier = new Map(baseline.map((question) => [question.id, question]));
  const pairs = current.flatMap((question) => {
    const other = earlier.get(question.id);
    return other === undefined ? [] : [[question, other] as const];
  });
  requireSharedQuestion(current, baseline);
  const measured = pairs.map(([here, there]) => [questionMetrics(here.ranks), questionMetrics(there.ranks)]);
  const samples = resamplesOf(pairs.length);
  const differenceOf = (name: MetricName) =>
    bootstrap(
      Float64Array.from(measured, ([here, there]) => here![name] - there![name]),
      samples,
    );
  return {
    queries: pairs.length,
    only_here: current.length - pairs.length,
    only_in_baseline: earlier.size - pairs.length,
    differences: Object.fromEntries(METRIC_NAMES.map((name) => [name, differenceOf(name)])) as Record<
      MetricName,
      Difference
    >,
  };
}

/** @throws {TypeError} if the baseline contains none of the questions. */
export function requireSharedQuestion(
  questions: readonly { readonly id: string }[],
  baseline: readonly QuestionResult[],
): void {
  const ids = new Set(questions.map(({ id }) => id));
  if (!baseline.some(({ id }) => ids.has(id)))
    throw new TypeError(
      "the baseline contains none of these questions: use a report of the same evaluation set",
    );
}

/** Returns whether a metric is significantly worse: its whole interval is below 0. */
export function hasLoss({ differences }: Comparison): boolean {
  return Object.values(differences).some(({ high }) => high < 0);
}

/**
 * Returns a generator of positions drawn with replacement. Every call repeats the same sequence, so that all
 * metrics use the same samples.
 */
function resamplesOf(count: number): () => Generator<Uint32Array> {
  return function* () {
    const random = new Random(SEED);
    const sample = new Uint32Array(count);
    for (let round = 0; round < RESAMPLES; round++) {
      for (let index = 0; index < count; index++) sample[index] = random.integer(0, count - 1);
      yield sample;
    }
  };
}

function bootstrap(values: Float64Array, samples: () => Generator<Uint32Array>): Difference {
  const means: number[] = [];
  for (const sample of samples()) {
    means.push(sample.reduce((sum, index) => sum + values[index]!, 0) / values.length);
  }
  means.sort((a, b) => a - b);
  const difference = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    difference,
    low: means[Math.floor(0.025 * RESAMPLES)]!,
    high: means[Math.ceil(0.975 * RESAMPLES) - 1]!,
  };
}
