import { afterAll, beforeAll, expect, it } from "vitest";
import { checkNode } from "../src/doctor/check-node.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

it("finds nothing wrong with a host that runs", async () => {
  const findings = await host.json<{ check: string; state: string; found: string }[]>(["doctor"]);
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
    "node ok",
    "nats-server ok",
    "host ok",
    "data ok",
    "embedder ok",
  ]);
  expect(findings[2]?.found).toMatch(/^[0-9a-f-]{36} serves working, episodic, semantic$/);
});

it("names what is missing and what to do, and exits with 1", async () => {
  const { code, stdout } = await host.cli(["doctor", "--nats", "nats://127.0.0.1:1"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAIL {2}host: cannot connect to NATS at nats:\/\/127.0.0.1:1/m);
  expect(stdout).toMatch(/^ {6}start one with `membus up`/m);
});

it("wants Node 20.19", () => {
  expect(["20.18.3", "20.19.0", "22.1.0"].map((version) => checkNode(version).state)).toEqual([
    "problem",
    "ok",
    "ok",
  ]);
});
