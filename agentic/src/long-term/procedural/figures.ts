import type { RecordContent } from "@membus/protocol/records";

export type Figures = RecordContent<"guideline">["figures"];

/**
 * Computes statistics of calls. A mean covers the calls that report the value, and is absent if none does.
 */
export function figuresOf(calls: readonly RecordContent<"tool_call">[]): Figures {
  const succeeded = calls.filter(({ success }) => success).length;
  const tokens = mean(calls.map(({ token_cost }) => token_cost));
  const seconds = mean(calls.map(({ time_cost_s }) => time_cost_s));
  return {
    calls: calls.length,
    success_rate: calls.length === 0 ? 0 : succeeded / calls.length,
    ...(tokens !== undefined && { mean_token_cost: tokens }),
    ...(seconds !== undefined && { mean_time_cost_s: seconds }),
  };
}

function mean(figures: readonly (number | undefined)[]): number | undefined {
  const known = figures.filter((figure) => figure !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, figure) => sum + figure, 0) / known.length;
}

/** Formats statistics as text. */
export function figuresText(figures: Figures): string {
  const { calls, success_rate, mean_token_cost, mean_time_cost_s } = figures;
  const parts = [
    `${calls} ${calls === 1 ? "call" : "calls"}`,
    `${round(success_rate * 100)} % successful`,
    ...(mean_token_cost === undefined ? [] : [`${round(mean_token_cost)} tokens on average`]),
    ...(mean_time_cost_s === undefined ? [] : [`${round(mean_time_cost_s)} s on average`]),
  ];
  return `${parts.join(", ")}.`;
}

/** Formats a guideline as text: the advice, then the statistics. */
export function guidelineText({ text, figures }: RecordContent<"guideline">): string {
  return [text, figuresText(figures)].filter((part) => part !== "").join(" ");
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100;
}
