// Two assistants of a baker, a host, and a crash. Every line is checked, and a failed check sets the exit
// code to 1. The nats-server, the host and all data use a temporary folder that is removed at the end.
import { ensureNatsServer } from "@membus/nats-server";
import { playScenes } from "./play-scenes.js";
import { withStage } from "./stage.js";
import { Transcript } from "./transcript.js";
import { interruption } from "./with-bus.js";

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
    await playScenes(stage, transcript);
  });
} catch (error) {
  transcript.check("the demo completes", false, error instanceof Error ? error.message : String(error));
}
process.exitCode = transcript.close() ? 0 : 1;
