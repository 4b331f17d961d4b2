import { entriesSubject, shardOf } from "@membus/cluster";
import { decodeRows, encodeRows, type WrittenRows } from "@membus/plugin-kit";
import {
  delay,
  isMemoryError,
  type Json,
  monotonicClock,
  parseScopeId,
  scopeId,
  systemClock,
} from "@membus/protocol";
import type { EntryStore } from "../copy/entry-store.js";
import { askShard, type ShardAnswer } from "./shard-control.js";
import type { ClusterAccess } from "./with-cluster.js";

const REQUEST_TIMEOUT_MS = 10_000;
const RETRY_AFTER_MS = 500;
/** Longer than a shard needs to move to another host. */
const RETRY_FOR_MS = 120_000;

/** Returns the entries of a cluster, which its owners of shards read and write. */
export function clusterStore({ bus, identity: { shardCount } }: ClusterAccess): EntryStore {
  const ask = (shard: number, cmd: string, args: { readonly [name: string]: Json }, bytes?: Uint8Array) =>
    repeated(() =>
      askShard(
        bus,
        entriesSubject(shard),
        { cmd, args },
        { timeoutMs: REQUEST_TIMEOUT_MS, ...(bytes && { bytes }) },
      ),
    );
  return {
    async *scopes(tier) {
      for (let shard = 0; shard < shardCount; shard++) {
        for (let after = "", isLast = false; !isLast; ) {
          const { result } = await ask(shard, "scopes", { tier, after });
          const page = result as unknown as { readonly scopes: readonly string[]; readonly is_last: boolean };
          yield* page.scopes.map(parseScopeId);
          isLast = page.is_last;
          after = page.scopes.at(-1) ?? "";
        }
      }
    },
    async read(tier, scope, after) {
      const args = { tier, scope: scopeId(scope), after };
      const { result, bytes } = await ask(shardOf(scope.tenant, shardCount), "read", args);
      const { next } = result as { readonly next: number | null };
      return { rows: decodeRows(bytes!).rows.map(({ row }) => row), next: next ?? undefined };
    },
    async write(tier, scope, rows) {
      const id = scopeId(scope);
      const bytes = encodeRows({ notes: "", rows: rows.map((row) => ({ scope: id, row })) });
      const { result } = await ask(shardOf(scope.tenant, shardCount), "write", { tier, scope: id }, bytes);
      return result as unknown as WrittenRows;
    },
  };
}

/** Repeats a command while its shard moves or is overloaded. Each command can be repeated. */
async function repeated(ask: () => Promise<ShardAnswer>): Promise<ShardAnswer> {
  const endMs = monotonicClock.elapsedMs() + RETRY_FOR_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isTemporary = isMemoryError(error) && error.retryable;
      if (!isTemporary || monotonicClock.elapsedMs() >= endMs) throw error;
      await delay(systemClock, RETRY_AFTER_MS);
    }
  }
}
