import type { QuestionResult } from "./evaluation-report.js";
import { METRIC_NAMES, type MetricName, questionMetrics } from "./metrics.js";

const RESAMPLES = 2_000;
const SEED = 1;

/** This run's mean less the baseline's, and the interval in which 95 % of the resampled differences lie. */
export interface Difference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

export interface Comparison {
  /** Questions of both runs: only these are compared. */
  readonly queries: number;
  readonly only_here: number;
  readonly only_in_baseline: number;
  readonly differences: Readonly<Record<MetricName, Difference>>;
}

/**
 * Paired differences of two runs over the questions that they share, with a 95 % interval by bootstrap over the
 * questions (2,000 resamples, always the same ones).
 * @throws {TypeError} when they share none.
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

/** @throws {TypeError} when a baseline is of other questions. */
export function requireSharedQuestion(
  questions: readonly { readonly id: string }[],
  baseline: readonly QuestionResult[],
): void {
  const ids = new Set(questions.map(({ id }) => id));
  if (!baseline.some(({ id }) => ids.has(id)))
    throw new TypeError("the baseline has none of these questions");
}

/** Whether a measure has become worse beyond chance: its whole interval lies below 0. */
export function hasLoss({ differences }: Comparison): boolean {
  return Object.values(differences).some(({ high }) => high < 0);
}

/** Positions drawn with replacement; begun anew for each measure, so that all see the same ones. */
function resamplesOf(count: number): () => Generator<Uint32Array> {
  return function* () {
    const random = seededRandom(SEED);
    const sample = new Uint32Array(count);
    for (let round = 0; round < RESAMPLES; round++) {
      for (let index = 0; index < count; index++) sample[index] = Math.floor(random() * count);
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

/** Numbers from 0 to below 1, the same for a seed on every machine (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
