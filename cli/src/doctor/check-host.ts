import { isMemoryError } from "@membus/protocol";
import { OPERATOR_USER } from "../auth/auth-state.js";
import type { Config } from "../config/config-schema.js";
import { readHostStats } from "../host-stats.js";
import { withClient } from "../session.js";
import type { Finding } from "./check-node.js";

/**
 * Checks connection, permissions and tiers with one ping to the host. The operator may not ping, so its
 * connection is checked with the statistics of the hosts.
 */
export async function checkHost(config: Config): Promise<Finding[]> {
  try {
    const hosts = isOperator(config) ? await hostsOfStats(config) : [await pingHost(config)];
    return hosts.map(({ id, tiers }) => {
      return { check: "host", state: "ok", found: `${id} serves ${tiers.join(", ")}` };
    });
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return [{ check: "host", state: "problem", found: error.message, advice: adviceFor(error.code) }];
  }
}

function isOperator({ nats }: Config): boolean {
  return nats.inbox_prefix === OPERATOR_USER.inboxPrefix;
}

interface ServingHost {
  readonly id: string;
  readonly tiers: readonly string[];
}

async function hostsOfStats(config: Config): Promise<ServingHost[]> {
  return (await readHostStats(config)).map(({ id, tiers = {} }) => ({ id, tiers: Object.keys(tiers) }));
}

async function pingHost(config: Config): Promise<ServingHost> {
  const { host_id: id, tiers } = await withClient(config, (client) => client.ping({ timeoutMs: 2_000 }));
  return { id, tiers };
}

function adviceFor(code: string): string {
  if (code === "unauthorized")
    return "the server does not allow this agent to publish: check the permissions of its user";
  return "start a host with `membus up`, name another server with --nats or NATS_URL, or skip this check with --no-host";
}
