import type { AgentMemory } from "@membus/agent-client";
import type { Filter, MemoryEntry } from "@membus/protocol";
import { isCurrent, type RecordMetadata } from "@membus/protocol/records";
import { type Project, type Subject, subjectsOf } from "../project/index.js";
import { type RecalledMemory, toRecalled } from "./recalled-memory.js";

/** Memories of each subject that are read. */
const LIMIT = 20;
/** Characters of a prompt that are searched for. */
const QUERY_LENGTH_MAX = 2_000;

const NOT_SUPERSEDED: Filter = { field: "metadata.superseded_by", op: "exists", value: false };
const RULES: Filter = { field: "metadata.category", op: "in", value: ["preference", "decision"] };

export interface FindOptions {
  readonly timeoutMs: number;
  readonly minScore: number;
  /** Unix seconds. */
  readonly now: number;
}

/** Returns memories of the project and of the user that fit a prompt, best first. */
export async function findForPrompt(
  memory: AgentMemory,
  project: Project,
  prompt: string,
  { minScore, ...options }: FindOptions,
): Promise<RecalledMemory[]> {
  const query = prompt.slice(0, QUERY_LENGTH_MAX).toWellFormed();
  if (query.trim() === "") return [];
  const request = { query, min_score: minScore, where: NOT_SUPERSEDED };
  const found = await findIn(subjectsOf(project), memory, request, options);
  return found.sort((one, other) => other.score - one.score);
}

/** Returns the preferences and decisions of the project and of the user, newest first. */
export async function findForSession(
  memory: AgentMemory,
  project: Project,
  options: Omit<FindOptions, "minScore">,
): Promise<RecalledMemory[]> {
  const request = { where: { all: [NOT_SUPERSEDED, RULES] } };
  const found = await findIn(subjectsOf(project), memory, request, options);
  return found.sort((one, other) => other.time - one.time);
}

interface SubjectRequest {
  readonly query?: string;
  readonly min_score?: number;
  readonly where: Filter;
}

async function findIn(
  subjects: readonly Subject[],
  memory: AgentMemory,
  request: SubjectRequest,
  { timeoutMs, now }: Omit<FindOptions, "minScore">,
): Promise<RecalledMemory[]> {
  const pages = await Promise.all(
    subjects.map(({ namespace }) =>
      memory.inNamespace(namespace).retrieve({ ...request, limit: LIMIT }, { timeoutMs, retryTimeoutMs: 0 }),
    ),
  );
  return pages.flatMap(({ entries }) => entries.filter((entry) => isValid(entry, now)).map(toRecalled));
}

function isValid({ metadata }: MemoryEntry, now: number): boolean {
  return metadata === undefined || isCurrent({ metadata: metadata as RecordMetadata<"fact"> }, now);
}
