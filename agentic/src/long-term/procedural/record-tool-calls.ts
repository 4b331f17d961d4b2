import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { type RecordOutcome, type RecordResult, refused } from "../outcome.js";
import { writeGuideline } from "./guideline.js";
import { readReport, reportsOf, type ToolCallInput, toolCallEntry } from "./tool-call.js";

export interface UnadvisedTool {
  readonly tool: string;
  /** A code, a colon and a message. */
  readonly reason: string;
}

export interface ToolCallsResult extends RecordResult {
  /** Tools with an updated guideline. */
  readonly guidelines: readonly string[];
  /**
   * Tools for which the model gave no advice. Their statistics are updated. The advice is the previous one or
   * computed.
   */
  readonly unadvised: readonly UnadvisedTool[];
}

/** Writes reports of calls, then the guidelines of their tools. */
export async function recordToolCalls(
  view: NamespaceView,
  inputs: readonly ToolCallInput[],
  sources: readonly string[] | undefined,
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
  const lineage = sources === undefined ? {} : { sources };
  const { receipts, errors } =
    calls.length === 0
      ? NOTHING
      : await view.store(calls.map(({ entry }) => ({ ...entry, ...lineage }) as never));
  context.meter.written(receipts.length);
  for (const { index } of receipts)
    outcomes.set(calls[index]!.index, { outcome: "new", ...textAndId(calls[index]!) });
  for (const { index, code, message } of errors) {
    const call = calls[index]!;
    const isKnown = code === "conflict";
    outcomes.set(
      call.index,
      isKnown ? { outcome: "duplicate", ...textAndId(call) } : refused(call.text, `${code}: ${message}`),
    );
  }
  const written = await writeGuidelines(view, new Set(calls.map(({ tool }) => tool)), context);
  return { outcomes: given.map((_, index) => outcomes.get(index)!), ...written, cost: context.meter.cost };
}

/**
 * Writes the guidelines of known calls too, because the process that recorded them may have crashed before.
 */
async function writeGuidelines(view: NamespaceView, tools: ReadonlySet<string>, context: CallContext) {
  const guidelines: string[] = [];
  const unadvised: UnadvisedTool[] = [];
  for (const tool of tools) {
    const { isWritten, reason } = await writeGuideline(view, tool, context);
    if (isWritten) guidelines.push(tool);
    if (reason !== undefined) unadvised.push({ tool, reason });
  }
  return { guidelines, unadvised };
}

const NOTHING = { receipts: [], errors: [] };

function textAndId({ text, id }: { readonly text: string; readonly id: string }) {
  return { text, id };
}
