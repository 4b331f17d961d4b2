import type { Trust } from "@membus/protocol/records";
import { Draft } from "../draft.js";
import type { HistoryPointer } from "../history.js";
import type { ProgressiveItem, TaskType } from "../memory-record.js";
import type { MemorySpace } from "../memory-space.js";

/** The scope of a set of tools. A model cannot leave it. */
export interface ToolScope {
  readonly space: MemorySpace;
  /** Absent: each call stores its changes immediately. */
  readonly draft?: Draft | undefined;
  readonly memoryType?: TaskType | undefined;
  readonly memoryTarget?: string | undefined;
  /** Category of new memories. */
  readonly category?: string | undefined;
  /** Allowed types. Absent: all. */
  readonly types?: readonly TaskType[] | undefined;
  /** Allowed targets. Absent: all. */
  readonly targets?: readonly string[] | undefined;
  /** The history that is being summarized. */
  readonly history?: HistoryPointer | undefined;
  /** Trust of written memories. */
  readonly trust: Trust;
  /** Called with the memories that a tool shows to a model. */
  readonly onRead?: ((memories: readonly ProgressiveItem[]) => void) | undefined;
}

/** The result of one item of a call. */
export interface ToolLine {
  readonly text: string;
  /** Id of the changed memory. */
  readonly memoryId?: string | undefined;
}

/**
 * Runs `work` with the scope's draft, or with a new draft. That draft is committed, and the results replace the lines.
 */
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

/** Processes items one after the other, so that each sees the staged changes of those before it. */
export async function oneByOne<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<ToolLine>,
): Promise<ToolLine[]> {
  const lines: ToolLine[] = [];
  for (const item of items) lines.push(await work(item));
  return lines;
}

function conflictText(memoryId: string): string {
  return `not written memory_id=${memoryId}: it was changed concurrently, read it again`;
}

export function unknownText(memoryId: string): string {
  return `unknown memory_id=${JSON.stringify(memoryId)}: it does not exist here`;
}

export function isMemoryId(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Joins the lines of an answer, numbered if there are several. */
export function answer(lines: readonly ToolLine[]): string {
  if (lines.length === 1) return lines[0]!.text;
  return lines.map(({ text }, index) => `${index + 1}. ${text}`).join("\n");
}

/** Returns whether the scope allows the target. */
export function isTargetAllowed({ targets }: ToolScope, target: string): boolean {
  return targets === undefined || targets.includes(target);
}

/**
 * Returns why the scope must not write, or undefined if it may. A shared tier accepts only the user's trust
 * (REC-9).
 */
export function sharingProblem({ space, trust }: ToolScope): string | undefined {
  if (space.tier !== "semantic" || trust === "user") return undefined;
  return "other agents share this memory, which requires the trust of a user";
}
