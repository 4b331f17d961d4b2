import type { AccessRule } from "@membus/host";
import { afterEach, expect, it } from "vitest";
import { rejection } from "../../../bus/test/expect-error.js";
import { NATS_SERVERS } from "../../../bus/test/nats-server.js";
import { Wire } from "./wire-fixture.js";

let wire: Wire | undefined;
afterEach(() => wire?.close());

it.each(NATS_SERVERS)("rules of membus.yaml are enforced over %s", async (binary) => {
  const rules: AccessRule[] = [
    { tiers: ["working", "episodic"], allow: ["read", "write", "forget"] },
    { agents: ["alice"], allow: ["read", "write", "forget"] },
    { agents: ["bob"], tiers: ["semantic"], namespaces: ["shared"], allow: ["read"] },
  ];
  wire = await Wire.start({ binary, config: { rules } });
  const alice = await wire.client("alice");
  const bob = await wire.client("bob");
  for (const namespace of ["shared", "board"]) {
    await alice.inNamespace(namespace).store({ key: "plan", content: namespace, tier: "semantic" });
  }
  const [shared, board] = [bob.inNamespace("shared"), bob.inNamespace("board")];
  expect((await shared.retrieve({})).entries).toMatchObject([{ content: "shared" }]);
  expect(await board.retrieve({})).toMatchObject({ total: 0, total_relation: "eq" });
  await rejection(board.retrieve({ tier: "semantic" }), "unauthorized");
  const { errors } = await shared.store({ key: "plan", content: "x", tier: "semantic" }, { partial: true });
  expect(errors).toMatchObject([{ code: "unauthorized" }]);
  await rejection(shared.forget({ tier: "semantic", all: true }), "unauthorized");
});
