/** How the score of an entry was computed. */
export interface Explanation {
  readonly terms: readonly {
    readonly term: string;
    readonly weight: number;
    readonly score: number;
    readonly fields: readonly string[];
  }[];
  readonly lexical: number;
  readonly similarity: number | null;
  readonly group: number;
  readonly relevance: number;
  readonly importance: number;
  readonly recency: number;
  readonly rerank?: number;
}

/** A part of the bar of a score. All parts together have the length of the relevance. */
export interface ScorePart {
  readonly name: "words" | "meaning" | "group" | "reranker" | "importance" | "age";
  /** Length in 0..1. */
  readonly size: number;
  /** True if the score lost this part. */
  readonly isLost: boolean;
  readonly text: string;
}

/**
 * Divides a score into what raised it and what lowered it. Words, meaning and group share the score in
 * proportion to their evidence.
 */
export function scoreParts(explanation: Explanation): readonly ScorePart[] {
  const { relevance, rerank, importance, recency } = explanation;
  const whole = rerank ?? relevance;
  const score = whole * importance * recency;
  const lost = [
    part(
      "importance",
      whole * (1 - importance),
      `The importance of the entry takes ${percent(1 - importance)}`,
    ),
    part("age", whole * importance * (1 - recency), `The age of the entry takes ${percent(1 - recency)}`),
  ].map((one) => ({ ...one, isLost: true }));
  return [...raising(explanation, score), ...lost].filter(({ size }) => size > 0.0005);
}

function raising({ lexical, similarity, group, rerank, relevance }: Explanation, score: number): ScorePart[] {
  if (rerank !== undefined) {
    return [
      part("reranker", score, `The reranker rates it ${percent(rerank)} instead of ${percent(relevance)}`),
    ];
  }
  const evidence = [
    part("words", lexical, `The words of the query fit ${percent(lexical)}`),
    part("meaning", similarity ?? 0, `The meaning is ${percent(similarity ?? 0)} similar`),
    part("group", group, `Other entries of its group fit ${percent(group)}`),
  ];
  const sum = evidence.reduce((total, { size }) => total + size, 0);
  return evidence.map((one) => ({ ...one, size: sum === 0 ? 0 : (score * one.size) / sum }));
}

function part(name: ScorePart["name"], size: number, text: string): ScorePart {
  return { name, size: Math.max(0, size), isLost: false, text };
}

function percent(share: number): string {
  return share.toLocaleString(undefined, { style: "percent", maximumFractionDigits: 0 });
}
