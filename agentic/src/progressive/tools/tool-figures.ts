import { type RecordContent, readRecord } from "@membus/protocol/records";
import { kindIs } from "../../kind-filter.js";
import { figuresOf } from "../../long-term/index.js";
import type { Draft } from "../draft.js";
import { TOOL_TARGET } from "../memory-record.js";

type Figures = RecordContent<"guideline">["figures"];

/** Maximum number of latest calls that the statistics are computed from. */
const CALLS_MAX = 1_000;

/**
 * Computes the statistics of a tool's recorded calls, including those in the draft. Without calls the success
 * rate is 0.
 */
export async function toolFigures(draft: Draft, tool: string): Promise<Figures> {
  const namespace = draft.space.targetNamespace(TOOL_TARGET);
  const stored = await draft.space.list(namespace, {
    where: kindIs("tool_call"),
    group: tool,
    limit: CALLS_MAX,
  });
  const calls = [...draft.staged(namespace), ...draft.overlay(stored)].flatMap((entry) => {
    const content = readRecord({ ...entry, metadata: { ...entry.metadata } as never }, "tool_call")?.content;
    return content === undefined || content.tool !== tool ? [] : [content];
  });
  return figuresOf(calls);
}
