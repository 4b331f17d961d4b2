import type { MemoryClient } from "@membus/agent-client";
import type { Criteria, MemoryEntry } from "@membus/protocol";
import type { ExportScope } from "./export-plan.js";

export interface ReadOptions {
  readonly criteria: Criteria;
  /** Whether entries have their vectors. */
  readonly hasEmbeddings?: boolean | undefined;
}

/** Yields all selected entries with all fields, scope by scope, the oldest first. */
export async function* readEntries(
  client: MemoryClient,
  scopes: readonly ExportScope[],
  { criteria, hasEmbeddings = false }: ReadOptions,
): AsyncGenerator<MemoryEntry> {
  const include: ("context" | "embedding")[] = hasEmbeddings ? ["context", "embedding"] : ["context"];
  for (const { tier, namespace } of scopes) {
    yield* client.entries({ ...criteria, tier, namespace, order: "oldest", include });
  }
}
