import { parseShardSubject, type ShardServing } from "@membus/cluster";
import { type Json, MemoryError } from "@membus/protocol";
import type { Bus, BusMessage, BusSubscription } from "@membus/protocol/plugin";
import {
  type ControlReply,
  type ControlRequest,
  commandOf,
  errorReply,
  parseControlRequest,
  resultOf,
} from "../control/control-messages.js";

const LINE_BYTES_MAX = 64 * 1_024;
/** More than a cluster has shards, because a status asks all of them at once. */
const RUNNING_MAX = 1_024;
const INBOX = "_INBOX";
const LINE_END = "\n".charCodeAt(0);

/** Connection of a command, and the cluster that it is for. */
interface ShardAccess {
  readonly bus: Bus;
  readonly identity: { readonly id: string };
}

/** A result, and bytes that follow it. */
export interface ShardAnswer {
  readonly result: Json;
  readonly bytes?: Uint8Array;
}

/**
 * A command that the owner of a shard runs for an operator.
 * @param bytes that follow the request.
 */
export type ShardCommand = (
  shard: number,
  args: { readonly [name: string]: Json },
  bytes: Uint8Array,
) => Promise<ShardAnswer>;

/** The cluster of a host, and the shards that the host owns. */
interface ServedCluster {
  readonly id: string;
  readonly serving: Pick<ShardServing, "statusOf">;
}

/**
 * Runs commands for the shards that this host owns. A request for another shard is left to its owner. One for another cluster is
 * refused, because clusters with the same servers share these subjects.
 * @param subject of the requests for all shards, such as `controlSubject("*")`.
 */
export function serveShardControl(
  bus: Bus,
  subject: string,
  { id, serving }: ServedCluster,
  commands: Readonly<Record<string, ShardCommand>>,
): BusSubscription {
  let runningCount = 0;
  const run = async (shard: number, { payload }: BusMessage): Promise<Uint8Array> => {
    try {
      const { line, bytes } = split(payload);
      if (line.length > LINE_BYTES_MAX)
        throw new MemoryError("too_large", `request too large: the limit is ${LINE_BYTES_MAX} characters`);
      if (runningCount >= RUNNING_MAX)
        throw new MemoryError("overloaded", `this host runs ${RUNNING_MAX} commands: send it again later`);
      const request = parseControlRequest(line);
      if (request.cluster !== id)
        throw new MemoryError(
          "conflict",
          `the hosts of these servers serve cluster ${id}: correct \`cluster.name\``,
        );
      runningCount += 1;
      try {
        const answer = await commandOf(commands, request)(shard, request.args ?? {}, bytes);
        return joined({ result: answer.result }, answer.bytes);
      } finally {
        runningCount -= 1;
      }
    } catch (error) {
      return joined(errorReply(error));
    }
  };
  return bus.subscribe(subject, async (message) => {
    const { shard } = parseShardSubject(message.subject);
    if (!message.reply?.startsWith(INBOX) || serving.statusOf(shard) === undefined) return;
    const reply = await run(shard, message);
    try {
      bus.publish(message.reply, reply);
    } catch (error) {
      bus.publish(message.reply, joined(errorReply(error)));
    }
  });
}

/**
 * Sends a command to the owner of a shard.
 * @param subject of the shard, such as `controlSubject(3)`.
 * @param bytes that follow the request.
 * @throws {MemoryError} the error of the owner, `timeout` without a reply, `unavailable` if no host runs.
 */
export async function askShard(
  { bus, identity }: ShardAccess,
  subject: string,
  request: ControlRequest,
  { timeoutMs, bytes }: { readonly timeoutMs: number; readonly bytes?: Uint8Array },
): Promise<ShardAnswer> {
  const reply = await bus.request(subject, joined({ ...request, cluster: identity.id }, bytes), {
    timeoutMs,
  });
  const { line, bytes: found } = split(reply.payload);
  return { result: resultOf(line), bytes: found };
}

/** Returns one line of JSON with the bytes that follow it. */
function joined(line: ControlRequest | ControlReply, bytes: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), bytes]);
}

function split(payload: Uint8Array): { readonly line: string; readonly bytes: Uint8Array } {
  const end = payload.indexOf(LINE_END);
  const lineEnd = end === -1 ? payload.length : end;
  const line = Buffer.from(payload.buffer, payload.byteOffset, lineEnd).toString();
  return { line, bytes: payload.subarray(lineEnd + 1) };
}
