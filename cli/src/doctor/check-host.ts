import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { readFailedTiers } from "../reindex/tier-progress.js";
import { withClient } from "../session.js";
import type { Finding } from "./check-node.js";

/** Whether a host answers this agent: connection, permissions and tiers in one round trip. */
export async function checkHost(config: Config): Promise<Finding[]> {
  try {
    const pong = await withClient(config, (client) => client.ping({ timeoutMs: 2_000 }));
    const found = `${pong.host_id} serves ${pong.tiers.join(", ")}`;
    return [{ check: "host", state: "ok", found }, ...(await checkTiers(config))];
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return [{ check: "host", state: "problem", found: error.message, advice: adviceFor(error.code) }];
  }
}

async function checkTiers(config: Config): Promise<Finding[]> {
  const advice = "its log cannot be written: see whether its folder is there, writable and not full";
  return (await readFailedTiers(config)).map((tier) => {
    return { check: `tier ${tier}`, state: "problem", found: "it takes no stores at present", advice };
  });
}

function adviceFor(code: string): string {
  if (code === "unauthorized")
    return "the server does not let this agent publish: check its user's permissions";
  return "start one with `membus up`, or name another server with --nats or NATS_URL";
}
