import { MemoryError, systemClock } from "@membus/protocol";
import { untilSignalled } from "../until-signalled.js";
import { type Stage, withStage } from "./stage.js";
import { compareAndSet } from "./steps/compare-and-set.js";
import { expire } from "./steps/expire.js";
import { forget } from "./steps/forget.js";
import { isolate } from "./steps/isolate.js";
import { killHost } from "./steps/kill-host.js";
import { retrieveByCriteria } from "./steps/retrieve-by-criteria.js";
import { retrieveByQuery } from "./steps/retrieve-by-query.js";
import { share } from "./steps/share.js";
import { start } from "./steps/start.js";
import { stop } from "./steps/stop.js";
import { storeConversation } from "./steps/store-conversation.js";
import { useWorkingMemory } from "./steps/use-working-memory.js";
import type { Transcript } from "./transcript.js";

export interface DemoOptions {
  /** Path of the nats-server program. */
  readonly natsServer: string;
  /** Leaves the temporary directory. */
  readonly keep: boolean;
}

/** In the order in which they are played: each builds on what those before it have stored. */
const SECTIONS: readonly [string, (stage: Stage, transcript: Transcript) => Promise<void>][] = [
  ["A nats-server, a host and two agents", start],
  ["Storing the conversation (episodic tier)", storeConversation],
  ["Notes for the day (working tier)", useWorkingMemory],
  ["Retrieving by key, tag, filter, group and time", retrieveByCriteria],
  ["Retrieving by question", retrieveByQuery],
  ["Sharing through the semantic tier", share],
  ["Keeping the episodic tier apart", isolate],
  ["Two writers, one entry", compareAndSet],
  ["Expiry", expire],
  ["Forgetting", forget],
  ["kill -9 while both agents store", killHost],
  ["The end", stop],
];

/** Plays all sections and notes each step. A section that cannot go on is a failed step, and the last one. */
export async function runDemo(options: DemoOptions, transcript: Transcript): Promise<void> {
  const startedAt = systemClock.now();
  const interrupted = untilSignalled().then(() => {
    throw new MemoryError("unavailable", "interrupted");
  });
  await withStage({ ...options, interrupted }, (stage) => playSections(stage, transcript));
  transcript.close(systemClock.now() - startedAt);
}

async function playSections(stage: Stage, transcript: Transcript): Promise<void> {
  for (const [title, play] of SECTIONS) {
    transcript.begin(title);
    try {
      await play(stage, transcript);
    } catch (error) {
      transcript.check("goes on", false, error instanceof Error ? error.message : String(error));
      return;
    }
  }
}
