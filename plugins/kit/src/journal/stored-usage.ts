import { parseScopeId, type Scope } from "@membus/protocol";
import { entryUsage, type ReadUsage } from "../quotas/index.js";
import type { Row } from "../row.js";
import type { RowSize, Storage } from "../storage.js";
import type { Backlog } from "./backlog.js";
import type { Flusher } from "./flusher.js";
import { rowIdOf } from "./record.js";

export interface StoredUsageParts {
  readonly storage: Pick<Storage, "sizes">;
  readonly backlog: Backlog;
  readonly flusher: Pick<Flusher, "flushedSeq" | "write">;
}

/**
 * Returns a function that reads the usage of a tenant from storage and the backlog, while no write to storage
 * runs.
 */
export function storedUsage({ storage, backlog, flusher }: StoredUsageParts): ReadUsage {
  return (tenant, begin) =>
    flusher.write(async () => {
      const hold = begin();
      let [id, scope]: [string, Scope | undefined] = ["", undefined];
      const take = (size: Omit<RowSize, "rowId">) => {
        // Rows of a scope are adjacent.
        if (size.scope !== id) [id, scope] = [size.scope, parseScopeId(size.scope)];
        hold({ scope: id, ...entryUsage(scope!, size) });
      };
      const { rows, removed } = unflushedChanges(backlog, tenant);
      for (const { scope, row } of rows) take({ scope, ...row, bodyBytes: Buffer.byteLength(row.body) });
      // Rows that a failed flush has written are in the backlog too.
      const firstWaiting = rowIdOf(flusher.flushedSeq + 1, 0);
      await storage.sizes(tenant, (size) => {
        if (size.rowId < firstWaiting && !removed.has(size.rowId)) take(size);
      });
    });
}

/** Returns the changes of a tenant that are only in the log. */
function unflushedChanges(backlog: Backlog, tenant: string) {
  const rows: { readonly scope: string; readonly row: Row }[] = [];
  const removed = new Set<number>();
  for (const scope of backlog.scopes) {
    if (parseScopeId(scope).tenant !== tenant) continue;
    const ofScope = backlog.ofScope(scope);
    for (const row of ofScope.rows) rows.push({ scope, row });
    for (const rowId of ofScope.removed) removed.add(rowId);
  }
  return { rows, removed };
}
