import type { CallContext } from "../call-context.js";
import { type RecordOutcome, type RecordResult, refused } from "../outcome.js";
import type { Shelf } from "../shelf.js";
import { writeGuideline } from "./guideline.js";
import { readReport, reportsOf, type ToolCallInput, toolCallEntry } from "./tool-call.js";

export interface ToolCallsResult extends RecordResult {
  /** Tools whose guideline was written anew. */
  readonly guidelines: readonly string[];
}

/** Writes reports of calls, then the guidelines of their tools. */
export async function recordToolCalls(
  shelf: Shelf,
  inputs: readonly ToolCallInput[],
  context: CallContext,
): Promise<ToolCallsResult> {
  const given = inputs.flatMap(reportsOf);
  const now = context.clock.now();
  const outcomes = new Map<number, RecordOutcome>();
  const calls: { index: number; tool: string; text: string; id: string; entry: object }[] = [];
  for (const [index, one] of given.entries()) {
    const report = readReport(one);
    if ("problem" in report) outcomes.set(index, refused(typeof one === "string" ? one : "", report.problem));
    else calls.push({ index, tool: report.tool_name, text: report.tool_name, ...toolCallEntry(report, now) });
  }
  const { receipts, errors } =
    calls.length === 0 ? NOTHING : await shelf.store(calls.map(({ entry }) => entry as never));
  context.meter.written(receipts.length);
  for (const { index } of receipts)
    outcomes.set(calls[index]!.index, { outcome: "new", ...told(calls[index]!) });
  for (const { index, code, message } of errors) {
    const call = calls[index]!;
    const isKnown = code === "conflict";
    outcomes.set(
      call.index,
      isKnown ? { outcome: "duplicate", ...told(call) } : refused(call.text, `${code}: ${message}`),
    );
  }
  const guidelines = [...new Set(receipts.map(({ index }) => calls[index]!.tool))];
  for (const tool of guidelines) await writeGuideline(shelf, tool, context);
  return { outcomes: given.map((_, index) => outcomes.get(index)!), guidelines, cost: context.meter.cost };
}

const NOTHING = { receipts: [], errors: [] };

function told({ text, id }: { readonly text: string; readonly id: string }) {
  return { text, id };
}
