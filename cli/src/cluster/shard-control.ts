import { controlSubject, parseShardSubject, type ShardServing } from "@membus/cluster";
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

const REQUEST_BYTES_MAX = 64 * 1_024;
const RUNNING_MAX = 64;
const INBOX = "_INBOX";

/** A command that the owner of a shard runs for an operator. */
export type ShardCommand = (shard: number, args: { readonly [name: string]: Json }) => Promise<Json>;

/**
 * Runs commands for the shards that this host owns. Only operators may publish on these subjects. A request for another shard
 * is left to its owner.
 */
export function serveShardControl(
  bus: Bus,
  serving: Pick<ShardServing, "statusOf">,
  commands: Readonly<Record<string, ShardCommand>>,
): BusSubscription {
  let runningCount = 0;
  const run = async (shard: number, { payload }: BusMessage): Promise<ControlReply> => {
    try {
      if (payload.length > REQUEST_BYTES_MAX)
        throw new MemoryError("too_large", `request too large: the limit is ${REQUEST_BYTES_MAX} bytes`);
      if (runningCount >= RUNNING_MAX)
        throw new MemoryError("overloaded", `this host runs ${RUNNING_MAX} commands: send it again later`);
      const request = parseControlRequest(Buffer.from(payload).toString());
      runningCount += 1;
      try {
        return { result: await commandOf(commands, request)(shard, request.args ?? {}) };
      } finally {
        runningCount -= 1;
      }
    } catch (error) {
      return errorReply(error);
    }
  };
  return bus.subscribe(controlSubject("*"), async (message) => {
    const { shard } = parseShardSubject(message.subject);
    if (!message.reply?.startsWith(INBOX) || serving.statusOf(shard) === undefined) return;
    bus.publish(message.reply, Buffer.from(JSON.stringify(await run(shard, message))));
  });
}

/**
 * Sends a command to the owner of a shard.
 * @throws {MemoryError} the error of the owner, `timeout` without a reply, `unavailable` if no host runs.
 */
export async function askShard(
  bus: Bus,
  shard: number,
  request: ControlRequest,
  timeoutMs: number,
): Promise<Json> {
  const payload = Buffer.from(JSON.stringify(request));
  const reply = await bus.request(controlSubject(shard), payload, { timeoutMs });
  return resultOf(Buffer.from(reply.payload).toString());
}
