import { randomUUID } from "node:crypto";
import { MemoryError, type MonotonicClock, requestSubject, withTimeout } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { parseShardSubject, shardSubject } from "./shard-mappings.js";
import { shardOf } from "./shard-of.js";

/** Probes at least, so that another number of shards puts one of them elsewhere. */
const PROBE_COUNT_MIN = 64;

export interface Routing {
  readonly prefix: string;
  readonly shardCount: number;
}

export interface RoutingCheck {
  readonly clock: Pick<MonotonicClock, "after">;
  /** Wait for all probes. */
  readonly timeoutMs: number;
  /** Address of the server, for errors. */
  readonly server: string;
}

/**
 * Sends probes of tenants of every shard and checks that each arrives at its shard. A server maps what its own clients send,
 * so other servers are not checked.
 *
 * @throws {MemoryError} `runtime_error` if the server lacks the mapping or has one with another number of shards.
 */
export async function checkRouting(
  bus: Bus,
  { prefix, shardCount }: Routing,
  { clock, timeoutMs, server }: RoutingCheck,
): Promise<void> {
  const waiting = new Map(probes(shardCount));
  const agent = `probe-${randomUUID()}`;
  let end: (misplaced?: number) => void = () => {};
  const ended = new Promise<number | undefined>((resolve) => {
    end = resolve;
  });
  const subscription = bus.subscribe(shardSubject("*", `${prefix}.>`), ({ subject }) => {
    const { shard, subject: original } = parseShardSubject(subject);
    const [tenant = "", sender] = original.slice(prefix.length + 1).split(".");
    if (sender !== agent) return;
    if (waiting.get(tenant) !== shard) return end(shard);
    waiting.delete(tenant);
    if (waiting.size === 0) end();
  });
  await bus.flush();
  for (const tenant of waiting.keys())
    bus.publish(requestSubject({ tenant, agent, type: "ping" }, prefix), new Uint8Array());
  const misplaced = await withTimeout(clock, timeoutMs, ended);
  await subscription.drain();
  if (misplaced !== undefined)
    throw mappingError(
      `${server} divides tenants by another number of shards. If it is wrong, give it`,
      shardCount,
    );
  if (waiting.size > 0) throw mappingError(`${server} does not send requests to shards: give it`, shardCount);
}

/** Returns tenants with their shards, at least one of every shard. */
function* probes(shardCount: number): Iterable<[string, number]> {
  const covered = new Set<number>();
  for (let index = 0; index < PROBE_COUNT_MIN || covered.size < shardCount; index++) {
    const tenant = `probe-${index}`;
    const shard = shardOf(tenant, shardCount);
    covered.add(shard);
    yield [tenant, shard];
  }
}

function mappingError(problem: string, shardCount: number): MemoryError {
  const message = `nats-server ${problem} the lines of \`membus cluster config --shards ${shardCount}\` in the hosts' account`;
  return new MemoryError("runtime_error", message, { reason: "mapping", shards: shardCount });
}
