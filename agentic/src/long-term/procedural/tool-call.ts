import { hash } from "node:crypto";
import type { EntryInput } from "@membus/agent-client";
import { canonicalJson, type Json } from "@membus/protocol";
import { type RecordContent, recordEntry } from "@membus/protocol/records";
import { z } from "zod";
import { textOf } from "../../conversation/index.js";
import type { ChatMessage } from "../../model/index.js";

const FigureSchema = z.number().min(0);

/** Report of a tool call. Its JSON text is the input of AgentScope's tool memory. */
const ToolCallReportSchema = z.object({
  /** "YYYY-MM-DD HH:MM:SS" in UTC, or ISO 8601. Absent: now. */
  create_time: z
    .string()
    .refine((text) => !Number.isNaN(timeOf(text)), 'must be a time such as "2026-05-01 09:30:00"')
    .optional(),
  /** Id of the call. Without an id, identical calls count as one. */
  call_id: z.string().max(256).optional(),
  tool_name: z.string().min(1).max(4096),
  input: z.json(),
  output: z.json(),
  token_cost: FigureSchema.optional(),
  success: z.boolean(),
  /** Seconds. */
  time_cost: FigureSchema.optional(),
});
export type ToolCallReport = z.input<typeof ToolCallReportSchema>;

/** A report, its JSON text, or a message with such a text or a JSON list of them. */
export type ToolCallInput = ToolCallReport | string | ChatMessage;

/** Returns the reports in an input. */
export function reportsOf(given: ToolCallInput): (ToolCallReport | string)[] {
  if (typeof given === "string" || !("role" in given)) return [given];
  const text = textOf(given);
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as (ToolCallReport | string)[]) : [text];
  } catch {
    return [text];
  }
}

function timeOf(text: string): number {
  const plain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
  return Date.parse(plain) / 1000;
}

/** Parses a report, or returns the problem. */
export function readReport(given: ToolCallReport | string): ToolCallReport | { readonly problem: string } {
  let value: unknown = given;
  try {
    if (typeof given === "string") value = JSON.parse(given);
  } catch {
    return { problem: "schema_violation: not valid JSON" };
  }
  const parsed = ToolCallReportSchema.safeParse(value);
  return parsed.success ? parsed.data : { problem: `schema_violation: ${z.prettifyError(parsed.error)}` };
}

/** Returns the entry of a report. The same report always has the same id. */
export function toolCallEntry(report: ToolCallReport, now: number): { id: string; entry: EntryInput } {
  const { create_time, tool_name: tool, input, output, success, token_cost, time_cost } = report;
  const id = hash("sha256", canonicalJson(report as Json), "hex").slice(0, 32);
  const content: RecordContent<"tool_call"> = {
    tool,
    input: input as Json,
    output: output as Json,
    success,
    ...(token_cost !== undefined && { token_cost }),
    ...(time_cost !== undefined && { time_cost_s: time_cost }),
  };
  const metadata = { tool, success, trust: "tool" };
  const record = recordEntry({ kind: "tool_call", key: { tool_call: id }, content, metadata });
  const occurred_at = create_time === undefined ? now : Math.max(0, timeOf(create_time));
  return { id, entry: { ...record, group: tool, occurred_at, if_revision: 0 } };
}
