import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayFixture } from "../../../../gateway/test/gateway-fixture.js";
import { McpFixture } from "../mcp-fixture.js";
import { obtainSuite } from "./conformance-suite.js";

const suite = await obtainSuite();
const why = "reason" in suite ? suite.reason : "obtained";

const fixture = new McpFixture();
const gateways = new GatewayFixture();
beforeAll(() => Promise.all([fixture.start(), gateways.start()]));
afterAll(async () => {
  await Promise.all([fixture.stop(), gateways.stop()]);
  if ("remove" in suite) await suite.remove();
});

/** Scenarios that apply to any server. */
const PASSING = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
  ],
  "2026-07-28": [
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "sep-2164-resource-not-found",
    "prompts-list",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
  ],
} as const;

/** Servers under test. */
const SERVERS = {
  "membus-mcp": () => fixture.serve(),
  gateway: async () => `${(await gateways.gateway()).url}/mcp`,
} as const;

it.skipIf("reason" in suite).each([
  ["membus-mcp", "2025-11-25"],
  ["membus-mcp", "2026-07-28"],
  ["gateway", "2025-11-25"],
  ["gateway", "2026-07-28"],
] as const)(
  `%s passes the applicable scenarios of the official suite, %s (${why})`,
  async (server, revision) => {
    if ("reason" in suite) throw new TypeError(suite.reason);
    const known = fileURLToPath(new URL(`expected-failures-${revision}.yaml`, import.meta.url));
    const url = await SERVERS[server]();
    const args = ["--url", url, "--suite", "all", "--spec-version", revision, "--expected-failures", known];
    const { code, output } = await suite.run(["server", ...args]);
    expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
    const passed = [...output.matchAll(/✓ ([\w-]+): [1-9]\d* passed, 0 failed/g)].map(([, name]) => name);
    expect(passed).toEqual(expect.arrayContaining([...PASSING[revision]]));
  },
);
