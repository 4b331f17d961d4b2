import { isDeepStrictEqual } from "node:util";
import { toMemoryError, updateWithRetry } from "@membus/agent-client";
import { type MemoryEntry, MemoryError } from "@membus/protocol";
import { type RecordContent, readRecord, recordEntry } from "@membus/protocol/records";
import { z } from "zod";
import { kindIs } from "../../kind-filter.js";
import { type ChatModel, generateObject, loadPrompt, ModelError } from "../../model/index.js";
import { newestSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { figuresOf, figuresText } from "./figures.js";

type Call = RecordContent<"tool_call">;

/** Maximum number of calls that a model reads, and of characters of each. */
const CALLS_READ_MAX = 50;
const CALL_LENGTH_MAX = 1_000;
const ADVICE_LENGTH_MAX = 2_000;

/** Schema of the advice for a tool. */
export const GuidelineSchema = z.object({
  advice: z.string().max(ADVICE_LENGTH_MAX).describe("At most ten sentences."),
});

/** Whether the guideline was written, and why it has no new advice of a model. */
export interface GuidelineResult {
  readonly isWritten?: boolean | undefined;
  readonly reason?: string | undefined;
}

/**
 * Writes the guideline of a tool from its latest calls. The guideline is read before the calls are counted
 * and stored only if unchanged, so an older count never replaces a newer one.
 */
export async function writeGuideline(
  view: NamespaceView,
  tool: string,
  context: CallContext,
): Promise<GuidelineResult> {
  let advised: Advice | undefined;
  const result = await updateWithRetry(
    async () => {
      const [before] = (await view.byKey([{ guideline: tool }])).values();
      return { before, ...(await latestCalls(view, tool, context.options.toolCallCountMax)) };
    },
    async ({ before, calls, sources }) => {
      const known = before && readRecord(before, "guideline")?.content;
      const isSame = known && isDeepStrictEqual(known.figures, figuresOf(calls));
      if (calls.length === 0 || (isSame && isDeepStrictEqual(before.sources ?? [], sources)))
        return undefined;
      advised ??= await advise(tool, calls, context);
      const kept = "reason" in advised ? known?.text : undefined;
      const text = "text" in advised ? advised.text : (kept ?? adviceWithoutModel(tool, calls));
      const entry = { ...guidelineEntry(tool, text, calls), ...(sources.length > 0 && { sources }) };
      return { ...entry, if_revision: before?.revision ?? 0 };
    },
    async (entry) => {
      const { errors, receipts } = await view.store([entry]);
      context.meter.written(receipts.filter(({ outcome }) => outcome !== "unchanged").length);
      if (errors.length === 0) return { isWritten: true, ...(advised && "reason" in advised && advised) };
      if (errors[0]!.code !== "conflict") throw toMemoryError(errors[0]!);
      return undefined;
    },
    {
      clock: context.clock,
      onExhausted: () => {
        throw new MemoryError("conflict", `other writers keep changing the guideline of ${tool}. Try again`);
      },
    },
  );
  return result ?? {};
}

/**
 * Returns the latest calls, newest first, with the key hashes of the newest 64 as sources of the guideline. A
 * cascade deletes the guideline after all of them. No sources if no call has sources.
 */
async function latestCalls(
  view: NamespaceView,
  tool: string,
  countMax: number,
): Promise<{ readonly calls: readonly Call[]; readonly sources: string[] }> {
  const calls: Call[] = [];
  const hashes: string[] = [];
  let isDerived = false;
  const request = { group: tool, where: kindIs("tool_call"), order: "newest" as const, limit: countMax };
  for await (const entry of view.each(request)) {
    const record = readRecord(entry as MemoryEntry, "tool_call");
    if (record === undefined) continue;
    calls.push(record.content);
    hashes.push(entry.key_hash);
    isDerived ||= entry.sources !== undefined;
  }
  return { calls, sources: isDerived ? newestSources(hashes.reverse()) : [] };
}

function guidelineEntry(tool: string, text: string, calls: readonly Call[]) {
  const content = { text, figures: figuresOf(calls) };
  const record = recordEntry({
    kind: "guideline",
    key: { guideline: tool },
    content,
    metadata: { tool, trust: "agent" },
  });
  return { ...record, group: tool, text: `${tool}\n${text}` };
}

/** Returns the advice without a model: the last failure. */
function adviceWithoutModel(tool: string, calls: readonly Call[]): string {
  const failed = calls.find(({ success }) => !success);
  if (failed === undefined) return `${tool}: no call has failed.`;
  return `${tool}: the last failed call had the input ${excerpt(failed.input)} and the result ${excerpt(failed.output)}.`;
}

function excerpt(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 200).toWellFormed();
}

/** The advice of a model, the reason why there is none, or `{}` without a model. */
type Advice = { readonly text: string } | { readonly reason: string } | Record<string, never>;

async function advise(tool: string, calls: readonly Call[], context: CallContext): Promise<Advice> {
  if (context.model === undefined) return {};
  try {
    return { text: await adviceOf(context.model, tool, calls, context) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { reason: `${error.code}: ${error.message}` };
  }
}

async function adviceOf(
  model: ChatModel,
  tool: string,
  calls: readonly Call[],
  { meter, signal }: CallContext,
): Promise<string> {
  const lines = calls
    .slice(0, CALLS_READ_MAX)
    .map((call) => JSON.stringify(JSON.stringify(call).slice(0, CALL_LENGTH_MAX).toWellFormed()));
  const figures = figuresText(figuresOf(calls));
  const content = loadPrompt("write-guideline", {
    tool: JSON.stringify(tool),
    calls: [...lines, `In total: ${figures}`].join("\n"),
  });
  const messages = [{ role: "user" as const, content }];
  const { advice } = await generateObject(
    model,
    { messages, schema: GuidelineSchema, name: "guideline", signal },
    meter,
  );
  return advice.trim();
}
