import { isMemoryError } from "@membus/protocol";
import type { Config } from "../config/config-schema.js";
import { withClient } from "../session.js";
import type { Finding } from "./check-node.js";

/** Checks connection, permissions and tiers with one ping to the host. */
export async function checkHost(config: Config): Promise<Finding[]> {
  try {
    const pong = await withClient(config, (client) => client.ping({ timeoutMs: 2_000 }));
    return [{ check: "host", state: "ok", found: `${pong.host_id} serves ${pong.tiers.join(", ")}` }];
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return [{ check: "host", state: "problem", found: error.message, advice: adviceFor(error.code) }];
  }
}

function adviceFor(code: string): string {
  if (code === "unauthorized")
    return "the server does not allow this agent to publish: check the permissions of its user";
  return "start a host with `membus up`, or name another server with --nats or NATS_URL";
}
