import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

/** Waits until everything runs. */
export async function start(
  { server, host, alice, bob, directory }: Stage,
  transcript: Transcript,
): Promise<void> {
  transcript.check(
    `nats-server ${server.version} listens`,
    true,
    `${server.url}, process ${server.pid}, everything in ${directory}`,
  );
  await host.ready();
  const pongs = await Promise.all([alice.ask("ping"), bob.ask("ping")]);
  const [first, second] = pongs;
  transcript.check(
    "the host serves three tiers",
    ["working", "episodic", "semantic"].every((tier) => (first.tiers as string[]).includes(tier)),
    `${first.tiers.join(", ")}; process ${host.pid}`,
  );
  transcript.check(
    "alice and bob reach the same host",
    first.host_id === second.host_id,
    `processes ${alice.pid} and ${bob.pid}, host ${first.host_id}`,
  );
}
