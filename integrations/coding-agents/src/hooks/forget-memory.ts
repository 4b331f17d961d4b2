import type { AgentMemory } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import type { Outbox } from "../outbox/index.js";
import { type Project, subjectsOf } from "../project/index.js";

/** Memories of one subject that are searched for an id. */
const SEARCHED_MAX = 10_000;

/**
 * Deletes queued writes of a memory, so that they do not bring it back. `id` is the beginning of its id. Equal texts
 * have equal ids, also of other projects and persons, so the namespace decides too.
 */
export async function forgetQueued(outbox: Outbox, project: Project, id: string): Promise<number> {
  const namespaces = new Set(subjectsOf(project).map(({ namespace }) => namespace));
  const writes = (await outbox.list()).filter(({ write }) => {
    return write !== undefined && namespaces.has(write.namespace) && keyHash(write.entry.key).startsWith(id);
  });
  return writes.length === 0 ? 0 : outbox.drop(writes.map((item) => item.id));
}

/** Deletes a memory of the project or of the user on the host. Returns the number of deleted entries. */
export async function forgetStored(
  memory: AgentMemory,
  project: Project,
  id: string,
  timeoutMs: number,
): Promise<number> {
  let count = 0;
  for (const { namespace } of subjectsOf(project)) {
    const target = memory.inNamespace(namespace);
    const options = { timeoutMs, retryTimeoutMs: 0 };
    const keys = [];
    for await (const { key_hash } of target.entries({ limit: SEARCHED_MAX }, options)) {
      if (key_hash.startsWith(id)) keys.push({ $hash: key_hash });
    }
    if (keys.length > 0) count += (await target.forget({ keys }, options)).deleted;
  }
  return count;
}
