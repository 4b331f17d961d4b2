import type { Comparison } from "./compare-runs.js";
import type { EvaluationReport } from "./evaluation-report.js";
import { METRIC_NAMES, type Metrics } from "./metrics.js";

const COLUMN_WIDTH = 10;

/** Formats the report as a table: one row per question type, with metrics as percentages. */
export function describeReport(report: EvaluationReport): string {
  const { settings, latency_ms: latency, dates_unreadable: unreadable, degraded } = report;
  const types = Object.entries(report.by_type);
  const nameWidth = Math.max(...["all"].concat(Object.keys(report.by_type)).map(({ length }) => length)) + 2;
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(nameWidth)}${cells.map((cell) => cell.padStart(COLUMN_WIDTH)).join("")}`;
  const lines = [
    `${report.documents} documents, ${report.queries} questions: ${describeSettings(settings)}`,
    row("", ["questions", ...METRIC_NAMES]),
    ...types.map(([type, { queries, ...metrics }]) => row(type, [String(queries), ...percentages(metrics)])),
    row("all", [String(report.queries), ...percentages(report.metrics)]),
    `latency for 50 entries: p50 ${latency.p50.toFixed(1)} ms, p95 ${latency.p95.toFixed(1)} ms`,
  ];
  if (report.queries_unscored > 0) lines.push(`without a score: ${report.queries_unscored} questions`);
  if (report.documents_too_large > 0)
    lines.push(`not stored, because they are too large: ${report.documents_too_large} documents`);
  if (unreadable > 0) lines.push(`${unreadable} dates could not be parsed`);
  if (degraded > 0) lines.push(`${degraded} answers were incomplete: the scores are too low`);
  return lines.join("\n");
}

function percentages(metrics: Metrics): string[] {
  return METRIC_NAMES.map((name) => (100 * metrics[name]).toFixed(1));
}

function describeSettings(settings: EvaluationReport["settings"]): string {
  const { tier, mode, unit, namespaces, groups, dates, context } = settings;
  return [
    `${tier} tier, ${mode}`,
    ...(unit === "session" ? ["whole sessions"] : []),
    namespaces ? "one namespace per conv" : "one namespace",
    groups ? "session as group" : "no group",
    dates ? "dates" : "without dates",
    context === 0 ? "no context" : `context of ${context} documents`,
  ].join(", ");
}

/** Formats one line per metric, in percentage points. */
export function describeComparison(comparison: Comparison): string {
  const { queries, only_here: here, only_in_baseline: there, differences } = comparison;
  const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(100 * value).toFixed(2)}`;
  return [
    `compared with the baseline over ${queries} questions (${here} only here, ${there} only in the baseline):`,
    ...METRIC_NAMES.map((name) => {
      const { difference, low, high } = differences[name];
      return `  ${name.padEnd(COLUMN_WIDTH)} ${signed(difference).padStart(7)}   95 %: ${signed(low)} .. ${signed(high)}`;
    }),
  ].join("\n");
}
