import type { Bus, BusMessage, BusSubscription, Intake } from "@membus/protocol/plugin";
import type { ShardHold } from "../place/index.js";
import { parseShardSubject, SHARD_TOKEN_COUNT, shardSubject } from "./shard-mappings.js";

/** Requests that a host receives: their original subject, which may have wildcards, and what happens to them. */
export interface RequestListener {
  readonly subject: string;
  readonly onRequest: (request: BusMessage) => void | Promise<void>;
  readonly intake?: Intake | undefined;
}

/**
 * Receives the requests of an owned shard under their original subjects. Requests that arrive after the shard is
 * lost are dropped, and their senders repeat them. There is no queue group: it could give a request to a host
 * that has lost the shard without knowing.
 */
export function subscribeShard(
  bus: Bus,
  { shard, hold }: { readonly shard: number; readonly hold: ShardHold },
  { subject, onRequest, intake }: RequestListener,
): BusSubscription {
  const receive = (message: BusMessage) => {
    if (hold.isOwned) return onRequest(withOriginalSubject(message));
  };
  const options = intake === undefined ? {} : { intake: shardIntake(intake) };
  return bus.subscribe(shardSubject(shard, subject), receive, options);
}

/** Counts senders by the tokens that name them in the original subject. */
function shardIntake(intake: Intake): Intake {
  return {
    senderTokens: SHARD_TOKEN_COUNT + intake.senderTokens,
    onRefused: (message, bytes) => intake.onRefused(withOriginalSubject(message), bytes),
    onDropped: (count) => intake.onDropped(count),
  };
}

/** Reads the fields one by one, because a message of NATS computes them. */
function withOriginalSubject(message: BusMessage): BusMessage {
  const { subject, headers, payload, reply, isOverflowing } = message;
  return {
    ...{ subject: parseShardSubject(subject).subject, headers, payload },
    ...(reply !== undefined && { reply }),
    ...(isOverflowing !== undefined && { isOverflowing }),
    ...(message.respond && { respond: message.respond.bind(message) }),
  };
}
