import { entriesSubject, shardOf } from "@membus/cluster";
import { decodeRows, encodeRows, type RowPage, type WrittenRows } from "@membus/plugin-kit";
import {
  delay,
  isMemoryError,
  type Json,
  monotonicClock,
  parseScopeId,
  type Scope,
  scopeId,
  systemClock,
} from "@membus/protocol";
import type { DurableTier, EntryStore } from "../copy/entry-store.js";
import { askShard, type ShardAnswer } from "./shard-control.js";
import type { ClusterAccess } from "./with-cluster.js";

/** The first page of a shard may have to read the names of all its namespaces. */
const REQUEST_TIMEOUT_MS = 60_000;
const RETRY_AFTER_MS = 500;
/** Longer than a shard needs to move to another host. */
const RETRY_FOR_MS = 180_000;

/** Returns the entries of a cluster, which its owners of shards read and write. */
export function clusterStore(access: ClusterAccess): EntryStore {
  const { identity, logger } = access;
  const { shardCount } = identity;
  // A copy of many pages meets the same problem often.
  let reported = "";
  const ask = (shard: number, cmd: string, args: { readonly [name: string]: Json }, bytes?: Uint8Array) => {
    const options = { timeoutMs: REQUEST_TIMEOUT_MS, ...(bytes && { bytes }) };
    return repeated(
      () => askShard(access, entriesSubject(shard), { cmd, args }, options),
      (problem) => {
        if (problem !== reported)
          logger.warn({ shard, problem }, "a shard takes no request now, trying again");
        reported = problem;
      },
    );
  };
  const send = (tier: DurableTier, scope: Scope, rows: RowPage["rows"], cmd: string) => {
    const id = scopeId(scope);
    const bytes = encodeRows({ notes: "", rows: rows.map((row) => ({ scope: id, row })) });
    return ask(shardOf(scope.tenant, shardCount), cmd, { tier, scope: id }, bytes);
  };
  return {
    isServed: true,
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
      return (await send(tier, scope, rows, "write")).result as unknown as WrittenRows;
    },
    async countMissing(tier, scope, rows) {
      return Number((await send(tier, scope, rows, "count-missing")).result);
    },
  };
}

/**
 * Repeats a command while its shard moves or is overloaded. Each command can be repeated.
 * @param onRepeat receives the reason before each repetition.
 */
async function repeated(
  ask: () => Promise<ShardAnswer>,
  onRepeat: (problem: string) => void,
): Promise<ShardAnswer> {
  const endMs = monotonicClock.elapsedMs() + RETRY_FOR_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isTemporary = isMemoryError(error) && error.retryable;
      if (!isTemporary || monotonicClock.elapsedMs() >= endMs) throw error;
      onRepeat(error.message);
      await delay(systemClock, RETRY_AFTER_MS);
    }
  }
}
