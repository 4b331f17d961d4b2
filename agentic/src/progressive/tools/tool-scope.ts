import type { Trust } from "@membus/protocol";
import { Draft } from "../draft.js";
import type { HistoryPointer } from "../history.js";
import type { Memory, TaskType } from "../memory-record.js";
import type { MemorySpace } from "../memory-space.js";

/** What a set of tools works on. What it is bound to, a model cannot leave. */
export interface ToolScope {
  readonly space: MemorySpace;
  /** Absent: each call stores what it has done. */
  readonly draft?: Draft | undefined;
  readonly memoryType?: TaskType | undefined;
  readonly memoryTarget?: string | undefined;
  /** The only types there are; absent: all. */
  readonly types?: readonly TaskType[] | undefined;
  /** The only targets there are; absent: all. */
  readonly targets?: readonly string[] | undefined;
  /** What is being summarised. */
  readonly history?: HistoryPointer | undefined;
  /** Whose word it is that is written. */
  readonly trust: Trust;
  /** Hears of every memory that a tool shows to a model. */
  readonly onRead?: ((memories: readonly Memory[]) => void) | undefined;
}

/** What became of one thing that a model asked for. */
export interface ToolLine {
  readonly text: string;
  /** The memory that was changed. */
  readonly memoryId?: string | undefined;
}

/** Does `work` in the scope's draft, or in one of its own: then what becomes of it at once is told instead. */
export async function inDraft(
  scope: ToolScope,
  work: (draft: Draft) => Promise<ToolLine[]>,
): Promise<ToolLine[]> {
  if (scope.draft !== undefined) return work(scope.draft);
  const draft = new Draft(scope.space);
  const lines = await work(draft);
  const changes = new Map((await draft.commit()).map((change) => [change.memoryId, change]));
  return lines.map((line) => {
    const change = line.memoryId === undefined ? undefined : changes.get(line.memoryId);
    if (change?.action === "conflict") return { text: conflictText(change.memoryId) };
    return change?.action === "unchanged" ? { text: `unchanged memory_id=${change.memoryId}` } : line;
  });
}

/** One after the other: each sees what those before it have staged. */
export async function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<ToolLine>,
): Promise<ToolLine[]> {
  const lines: ToolLine[] = [];
  for (const item of items) lines.push(await work(item));
  return lines;
}

function conflictText(memoryId: string): string {
  return `not written memory_id=${memoryId}: it was changed meanwhile, read it again`;
}

export function unknownText(memoryId: string): string {
  return `unknown memory_id=${JSON.stringify(memoryId)}: there is no such memory here`;
}

export function isMemoryId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Lines of an answer; numbered where there are several, in the order of what was asked. */
export function answer(lines: readonly ToolLine[]): string {
  if (lines.length === 1) return lines[0]!.text;
  return lines.map(({ text }, index) => `${index + 1}. ${text}`).join("\n");
}

/** Whether the scope has the target at all. */
export function isTargetAllowed({ targets }: ToolScope, target: string): boolean {
  return targets === undefined || targets.includes(target);
}

/** Why the scope may write no memory at all; undefined if it may. In a tier that is shared only a user's word is (REC-9). */
export function sharingProblem({ space, trust }: ToolScope): string | undefined {
  if (space.tier !== "semantic" || trust === "user") return undefined;
  return "other agents share this memory, and this is not a user's word";
}
