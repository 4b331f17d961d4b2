import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

/** SIGTERM: what is in flight is answered, what is logged is folded into the tables. */
export async function stop({ host }: Stage, transcript: Transcript): Promise<void> {
  const { code, signal } = await host.stop();
  transcript.check("the host stops in order", code === 0, `exit code ${code ?? signal}`);
}
