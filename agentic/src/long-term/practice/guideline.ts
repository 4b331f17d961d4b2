import { isDeepStrictEqual } from "node:util";
import { pauseAfterConflict, storeFailure } from "@membus/agent-client";
import { type MemoryEntry, MemoryError, type RecordContent, readRecord, recordEntry } from "@membus/protocol";
import { z } from "zod";
import { kindIs } from "../../kind-filter.js";
import { askFor, type ChatModel, loadPrompt, ModelError } from "../../model/index.js";
import { newestSources } from "../../sources.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../shelf.js";
import { figuresOf, figuresText } from "./figures.js";

type Call = RecordContent<"tool_call">;

/** Others may count calls of the same tool at the same time; each attempt that fails is one of theirs that has succeeded. */
const ATTEMPTS_MAX = 16;
/** Calls that a model reads, and characters of each. */
const CALLS_READ_MAX = 50;
const CALL_LENGTH_MAX = 1_000;
const TEXT_LENGTH_MAX = 4_000;

const GuidelineSchema = z.object({
  advice: z.string().max(TEXT_LENGTH_MAX).describe("At most ten sentences."),
});

/** Whether there was something to write, and why a model's advice is missing or an older one. */
export interface Written {
  readonly isWritten?: boolean | undefined;
  readonly reason?: string | undefined;
}

/**
 * Writes what the latest calls of a tool come to, over the revision that was read before they were counted: a count that is
 * older than another never replaces it.
 */
export async function writeGuideline(shelf: NamespaceView, tool: string, context: CallContext): Promise<Written> {
  let advised: Advised | undefined;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [before] = (await shelf.byKey([{ guideline: tool }])).values();
    const { calls, sources } = await latestCalls(shelf, tool, context.options.toolCallCountMax);
    const known = before && readRecord(before, "guideline")?.content;
    const isSame = known && isDeepStrictEqual(known.figures, figuresOf(calls));
    if (calls.length === 0 || (isSame && isDeepStrictEqual(before.sources ?? [], sources))) return {};
    advised ??= await advise(tool, calls, context);
    const kept = "reason" in advised ? known?.text : undefined;
    const text = "text" in advised ? advised.text : (kept ?? plainText(tool, calls));
    const entry = { ...guidelineEntry(tool, text, calls), ...(sources.length > 0 && { sources }) };
    const { errors, receipts } = await shelf.store([{ ...entry, if_revision: before?.revision ?? 0 }]);
    context.meter.written(receipts.filter(({ outcome }) => outcome !== "unchanged").length);
    if (errors.length === 0) return { isWritten: true, ...("reason" in advised && advised) };
    if (errors[0]!.code !== "conflict") throw storeFailure(errors[0]!);
    await pauseAfterConflict(attempt + 1, context.clock);
  }
  throw new MemoryError("conflict", `the guideline of ${tool} is being changed by others`);
}

/**
 * Newest first, with the key hashes of the newest 64, which a guideline is derived from: it goes when all of these go. None
 * where no call has a source, for then none of them is derived from anything.
 */
async function latestCalls(
  shelf: NamespaceView,
  tool: string,
  countMax: number,
): Promise<{ readonly calls: readonly Call[]; readonly sources: string[] }> {
  const calls: Call[] = [];
  const hashes: string[] = [];
  let isDerived = false;
  const request = { group: tool, where: kindIs("tool_call"), order: "newest" as const, limit: countMax };
  for await (const entry of shelf.each(request)) {
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

/** What can be said without a model: what failed last. The figures stand beside it. */
function plainText(tool: string, calls: readonly Call[]): string {
  const failed = calls.find(({ success }) => !success);
  if (failed === undefined) return `${tool}: no call has failed.`;
  return `${tool}: the last call that failed was ${shown(failed.input)}, with ${shown(failed.output)}.`;
}

function shown(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, 200).toWellFormed();
}

/** What a model says, `{}` without one, or why it says nothing: the figures do not depend on it. */
type Advised = { readonly text: string } | { readonly reason: string } | Record<string, never>;

async function advise(tool: string, calls: readonly Call[], context: CallContext): Promise<Advised> {
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
    calls: [...lines, `In all: ${figures}`].join("\n"),
  });
  const messages = [{ role: "user" as const, content }];
  const { advice } = await askFor(
    model,
    { messages, schema: GuidelineSchema, name: "guideline", signal },
    meter,
  );
  return advice.trim();
}
