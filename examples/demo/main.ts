// Two assistants of a baker, a host, and a crash. Every line is checked, and a failed check sets the exit
// code to 1. The nats-server, the host and all data use a temporary folder that is removed at the end.
import { ensureNatsServer } from "@membus/nats-server";
import { keepConversation } from "./agent-memory.js";
import { crash } from "./crash.js";
import { addToOneList, forget, isolate, retrieve, share, store } from "./scenes.js";
import { type Stage, withStage } from "./stage.js";
import { Transcript } from "./transcript.js";
import { interruption } from "./with-bus.js";

/** Scenes in order. Each scene uses the entries of the scenes before it. */
const SCENES: readonly [string, (stage: Stage, transcript: Transcript) => Promise<void>][] = [
  ["Each agent stores its conversation (episodic tier)", store],
  ["Questions that use other words than the answers", retrieve],
  ["No agent can read another agent's memory", isolate],
  ["Facts shared by both agents (semantic tier)", share],
  ["Two concurrent writers of one entry", addToOneList],
  ["Forgetting", forget],
  ["A conversation and a fact derived from it, both forgotten", keepConversation],
  ["kill -9 while both agents store", crash],
];

const transcript = new Transcript();
const interrupted = interruption();

try {
  const obtaining = ensureNatsServer({
    explicitPath: process.env.MEMBUS_NATS_SERVER || undefined,
    env: process.env,
    onStep: (step) => console.error(step),
  });
  const { path } = await Promise.race([obtaining, interrupted]);
  await withStage(path, interrupted, async (stage) => {
    transcript.begin(
      `nats-server ${stage.server.version}: process ${stage.server.pid}; host: process ${stage.host.pid}`,
    );
    for (const [title, play] of SCENES) {
      transcript.begin(title);
      await play(stage, transcript);
    }
  });
} catch (error) {
  transcript.check("the demo completes", false, error instanceof Error ? error.message : String(error));
}
process.exitCode = transcript.close() ? 0 : 1;
