import { serverAddress } from "@membus/bus";
import { findNatsServer, MANUAL_INSTALL_STEPS } from "@membus/nats-server";
import type { Config } from "../config/config-schema.js";
import type { Finding } from "./check-node.js";

/**
 * Checks the server that `membus up` would start. If a URL is configured, the host check tests the
 * connection.
 */
export async function checkNatsServer(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (config.nats.url !== undefined) {
    const found = `using ${serverAddress(config.nats.url)}, no local server is started`;
    return [{ check: "nats-server", state: "ok", found }];
  }
  const binary = await findNatsServer({
    env,
    ...(config.nats.server === undefined ? {} : { explicitPath: config.nats.server }),
  });
  if (binary === undefined) {
    const advice = `run \`membus nats install\`, or install it manually: ${MANUAL_INSTALL_STEPS.join("; ")}`;
    return [
      {
        check: "nats-server",
        state: "warning",
        found: "not found on the PATH or in the membus cache",
        advice,
      },
    ];
  }
  return [
    { check: "nats-server", state: "ok", found: `${binary.version} at ${binary.path}` },
    ...knownVulnerabilities(binary.version),
  ];
}

/** Servers before 2.10.27 let accounts access each other's JetStream administration (CVE-2025-30215). */
function knownVulnerabilities(version: string): Finding[] {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, "").split(".").map(Number);
  const fixed = major > 2 || minor > 10 || (minor === 10 && patch >= 27);
  if (fixed) return [];
  const advice = "safe on loopback, but use 2.10.27 or newer if several tenants share the server";
  return [
    {
      check: "nats-server",
      state: "warning",
      found: `${version} has known security vulnerabilities`,
      advice,
    },
  ];
}
