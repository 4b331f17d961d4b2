import { type RecordContent, readRecord } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import { figuresOf } from "../../long-term/index.js";
import type { Draft } from "../draft.js";
import { TOOL_TARGET } from "../memory-record.js";

type Figures = RecordContent<"guideline">["figures"];

/** The latest calls that figures are computed from. */
const CALLS_MAX = 1_000;

/** What the recorded calls of a tool came to, those of the draft included. Without any: no calls, a success rate of 0. */
export async function toolFigures(draft: Draft, tool: string): Promise<Figures> {
  const namespace = draft.space.about(TOOL_TARGET);
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
