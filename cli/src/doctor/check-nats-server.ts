import { serverAddress } from "@membus/bus";
import { BY_HAND, findNatsServer } from "@membus/nats-server";
import type { Config } from "../config/config-schema.js";
import type { Finding } from "./check-node.js";

/** The server that `membus up` would start; one that is connected to by URL is seen by the host check. */
export async function checkNatsServer(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  if (config.nats.url !== undefined) {
    const found = `not started here: ${serverAddress(config.nats.url)} is used`;
    return [{ check: "nats-server", state: "ok", found }];
  }
  const binary = await findNatsServer({
    env,
    ...(config.nats.server === undefined ? {} : { explicitPath: config.nats.server }),
  });
  if (binary === undefined) {
    const advice = `membus nats install, or by hand: ${BY_HAND.join("; ")}`;
    return [
      { check: "nats-server", state: "warning", found: "none on the PATH or in membus's cache", advice },
    ];
  }
  return [
    { check: "nats-server", state: "ok", found: `${binary.version} at ${binary.path}` },
    ...knownFlaws(binary.version),
  ];
}

/** Servers before 2.10.27 let accounts reach each other's JetStream administration (CVE-2025-30215). */
function knownFlaws(version: string): Finding[] {
  const [major = 0, minor = 0, patch = 0] = version.replace(/^v/, "").split(".").map(Number);
  const fixed = major > 2 || minor > 10 || (minor === 10 && patch >= 27);
  if (fixed) return [];
  const advice = "fine on loopback; use 2.10.27 or newer where tenants share a server";
  return [
    { check: "nats-server", state: "warning", found: `${version} has published security flaws`, advice },
  ];
}
