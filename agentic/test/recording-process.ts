import { MemoryClient } from "@membus/agent-client";
import { LongTermMemory, openaiChatModel } from "../src/index.js";

/** The order for a recording process. */
export interface RecordingOrder {
  readonly servers: string;
  /** URL of a model. "" for none. */
  readonly baseUrl: string;
  /** Texts that are recorded one after the other. */
  readonly texts: readonly string[];
  /** Whether the texts are queued together instead. */
  readonly isQueued: boolean;
}

/** Outcomes in the order of the texts, or event ids. */
export type RecordingAnswer = readonly string[];

async function main(order: RecordingOrder): Promise<RecordingAnswer> {
  const memory = await MemoryClient.connect({ servers: order.servers, agent: "alice" });
  const model =
    order.baseUrl === "" ? undefined : openaiChatModel({ model: "scripted", baseUrl: order.baseUrl });
  const longTerm = new LongTermMemory(memory, { subject: "user:abc123", taskLeaseS: 1 }, { model });
  // Keeps running until it is killed, because the work is in progress.
  if (order.isQueued) return (await longTerm.record(order.texts, { wait: false })).eventIds;
  const outcomes: string[] = [];
  for (const text of order.texts) outcomes.push((await longTerm.record(text)).outcomes[0]!.outcome);
  await longTerm.close();
  await memory.close();
  return outcomes;
}

process.once("message", (order) => {
  void main(order as RecordingOrder).then((answer) => {
    process.send!(answer);
    if (!(order as RecordingOrder).isQueued) process.disconnect();
  });
});
