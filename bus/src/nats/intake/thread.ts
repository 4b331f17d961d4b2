import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { isMemoryError, systemClock } from "@membus/protocol";
import type { BusSubscription, Logger } from "@membus/protocol/plugin";
import { connectNatsBus } from "../nats-connect.js";
import { BatchCounter } from "./batch-counter.js";
import { Batcher } from "./batcher.js";
import type { Call, FromThread, ThreadError, ThreadStart, ToThread } from "./thread-messages.js";

/** Thread that owns the connection of subscriptions with `intake`. See `IntakeThread`. */
const port = parentPort as MessagePort;
const { options, senderTokens, processed } = workerData as ThreadStart;
const send = (message: FromThread, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
const log =
  (level: keyof Logger): Logger[keyof Logger] =>
  (fields, text) =>
    send({ kind: "log", level, fields: cloneable(fields), text });
const logger: Logger = {
  debug: log("debug"),
  info: log("info"),
  warn: log("warn"),
  error: log("error"),
};
/** Smaller payloads are copied, which costs less than a transfer. */
const TRANSFERRED_BYTES_MIN = 16 * 1024;
const batcher = new Batcher(
  senderTokens,
  new BatchCounter(processed),
  (batch) => send(batch, batch.payloads.byteLength < TRANSFERRED_BYTES_MIN ? [] : [batch.payloads]),
  systemClock,
);
const subscriptions = new Map<number, BusSubscription>();
const connecting = connectNatsBus(options, { logger });
// The first call reports the failure.
connecting.catch(() => undefined);

async function perform(call: Call): Promise<void> {
  const bus = await connecting;
  switch (call.method) {
    case "subscribe": {
      const { id, subject, queue } = call;
      const options = queue === undefined ? {} : { queue };
      subscriptions.set(
        id,
        bus.subscribe(subject, (message) => batcher.add(id, message), options),
      );
      return;
    }
    case "drain":
      await subscriptions.get(call.id)?.drain();
      return batcher.idle();
    case "flush":
      return bus.flush();
    case "close":
      return bus.close();
  }
}

port.on("message", async (message: ToThread) => {
  if (message.kind === "taken") return batcher.taken();
  if (message.kind === "publish") return publish(message);
  const { number, call } = message;
  const error = await perform(call).then(() => undefined, toThreadError);
  send({ kind: "result", number, error });
  if (call.method === "close") port.close();
});

async function publish({ subject, payload, headers }: Extract<ToThread, { kind: "publish" }>): Promise<void> {
  const bus = await connecting;
  try {
    bus.publish(subject, payload, { headers });
  } catch (error) {
    logger.warn({ err: error, subject }, "could not send a reply");
  }
}

function toThreadError(error: unknown): ThreadError {
  const { message } = error as Error;
  if (!isMemoryError(error)) return { code: undefined, message, detail: undefined };
  return { code: error.code, message, detail: { ...error.detail } };
}

/** Errors in log fields keep their message. Other values that cannot be cloned become text. */
function cloneable(fields: object): object {
  return JSON.parse(
    JSON.stringify(fields, (_name, value) => (value instanceof Error ? value.message : value)),
  );
}
