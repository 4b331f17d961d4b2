// Two assistants of one baker, a host, and a crash. Every line is checked; one that is not as promised makes the exit
// code 1. A nats-server, a host and all data live in a temporary folder and are gone afterwards.
import { ensureNatsServer } from "@membus/nats-server";
import { keepConversation } from "./agent-memory.js";
import { crash } from "./crash.js";
import { addToOneList, forget, isolate, retrieve, share, store } from "./scenes.js";
import { type Stage, withStage } from "./stage.js";
import { Transcript } from "./transcript.js";
import { interruption } from "./with-bus.js";

/** In this order: each scene builds on what those before it have stored. */
const SCENES: readonly [string, (stage: Stage, transcript: Transcript) => Promise<void>][] = [
  ["Each agent stores what it was told (episodic tier)", store],
  ["Questions in other words than the answers", retrieve],
  ["No agent reads another's memory", isolate],
  ["Facts for both (semantic tier)", share],
  ["Two writers, one entry", addToOneList],
  ["Forgetting", forget],
  ["A conversation, what it says of somebody, and both forgotten", keepConversation],
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
  transcript.check("the story goes on", false, error instanceof Error ? error.message : String(error));
}
process.exitCode = transcript.close() ? 0 : 1;
