import { connectNatsBus } from "@membus/bus";
import { encodeMessage, type RequestType, requestSubject, silentLogger, systemClock } from "@membus/protocol";
import type { TracedStep } from "../run/traced-step.js";

const TIMEOUT_MS = 15_000;

export interface ReplayTarget {
  /** Address of the server, such as `nats://127.0.0.1:4222`. */
  readonly servers: string;
  /** Subject prefix. Default `a2e`. */
  readonly prefix?: string;
}

/** Sends requests to a host one after another and prints each reply as a line of JSON. */
export async function replayOnHost(
  { servers, prefix }: ReplayTarget,
  steps: readonly TracedStep[],
): Promise<void> {
  const bus = await connectNatsBus({ servers }, { logger: silentLogger, clock: systemClock });
  try {
    for (const { tenant, agent, message } of steps) {
      const subject = requestSubject({ tenant, agent, type: message.type as RequestType }, prefix);
      process.stdout.write(`${subject} ${JSON.stringify(message)}\n`);
      const { payload } = await bus.request(subject, encodeMessage(message, "json"), {
        timeoutMs: TIMEOUT_MS,
      });
      process.stdout.write(`  ${Buffer.from(payload).toString("utf8")}\n`);
    }
  } finally {
    await bus.close();
  }
}
