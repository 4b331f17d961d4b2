import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AccessRule } from "@membus/host";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "../wire/wire-fixture.js";
import { exportTo } from "./export-fixture.js";

const RULES: AccessRule[] = [
  { tiers: ["working", "episodic"], allow: ["read", "write", "forget"] },
  { agents: ["alice"], allow: ["read", "write", "forget"] },
  { agents: ["bob"], tiers: ["semantic"], namespaces: ["shared"], allow: ["read"] },
];

let wire: Wire;
let folder: string;
beforeAll(async () => {
  wire = await Wire.start({ binary: NATS_SERVERS[0]!, config: { rules: RULES } });
  folder = await mkdtemp(join(tmpdir(), "membus-export-"));
});
afterAll(async () => {
  await wire.close();
  await rm(folder, { recursive: true, force: true });
});

it("leaves out a tier that the agent may not list, and exports a namespace that it may read", async () => {
  const alice = await wire.client("alice");
  const bob = await wire.client("bob");
  await alice.inNamespace("shared").store({ key: "plan", content: 1, tier: "semantic" });
  await alice.inNamespace("board").store({ key: "plan", content: 2, tier: "semantic" });
  await bob.store({ key: "own", content: 3, tier: "episodic" });
  const file = join(folder, "export.jsonl");
  expect(await exportTo(bob, file)).toMatchObject({
    exported: 1,
    omitted: [{ tier: "semantic", code: "unauthorized" }],
  });
  expect(await exportTo(bob, file, { namespace: "shared" })).toMatchObject({ exported: 1, omitted: [] });
  await rejection(exportTo(bob, file, { criteria: { tier: "semantic" } }), "unauthorized");
});
