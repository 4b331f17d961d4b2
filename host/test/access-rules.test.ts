import { createLruPlugin } from "@membus/plugin-lru";
import { type MemoryTier, parseOptions } from "@membus/protocol";
import { describe, expect, it } from "vitest";
import type { AccessRule } from "../src/index.js";
import { HostOptionsSchema } from "../src/options.js";
import { HostFixture } from "./host-fixture.js";

const RULES: readonly AccessRule[] = [
  { agents: ["root"], allow: ["read", "write", "forget"] },
  { tiers: ["working"], allow: ["read", "write", "forget"] },
  { agents: ["bob"], tiers: ["semantic"], namespaces: ["shared"], allow: ["read", "write", "forget_own"] },
  {
    tenants: ["default"],
    agents: ["carol"],
    tiers: ["semantic"],
    namespaces: ["shared/open"],
    allow: ["read"],
  },
];

async function started(): Promise<HostFixture> {
  const plugins = { working: createLruPlugin(), semantic: createLruPlugin() };
  return HostFixture.start({ plugins, options: { rules: RULES } });
}

const ask = (
  fixture: HostFixture,
  agent: string,
  operation: string,
  fields: Record<string, unknown>,
  tenant = "default",
) => fixture.ask(`memory/${operation}/req` as never, fields, agent, tenant);

const entry = (key: string, tier: MemoryTier = "semantic") => ({ key, content: key, tier });
const REFUSED = { type: "error", code: "unauthorized" };

describe("rules", () => {
  it("allow a write to an agent named in a rule, checked per entry", async () => {
    const fixture = await started();
    const entries = [entry("a"), entry("b", "working")];
    const elsewhere = await ask(fixture, "bob", "store", { namespace: "secret", entries });
    expect(elsewhere).toMatchObject({
      stored: [{ name: "b" }],
      errors: [{ index: 0, code: "unauthorized", detail: { path: "namespace", tier: "semantic" } }],
    });
    expect(await ask(fixture, "bob", "store", { namespace: "shared/x", entries })).toMatchObject({
      errors: [],
    });
    for (const namespace of ["shared2", "default"]) {
      expect(await ask(fixture, "bob", "store", { namespace, entries: [entry("a")] })).toMatchObject({
        stored: [],
      });
    }
    const asCarol = await ask(fixture, "carol", "store", { namespace: "shared/open", entries: [entry("a")] });
    expect(asCarol).toMatchObject({ errors: [{ code: "unauthorized" }] });
  });

  it("refuse a read of a tier or subtree that is not allowed as a whole", async () => {
    const fixture = await started();
    const tier = "semantic";
    for (const operation of ["retrieve", "list"]) {
      const requested = (namespace: string, agent = "carol", tenant = "default") =>
        ask(fixture, agent, operation, { tier, namespace }, tenant);
      for (const namespace of ["shared", "shared/**", "shared/opened", "default"]) {
        expect(await requested(namespace), namespace).toMatchObject(REFUSED);
      }
      expect(await requested("shared/open", "carol", "other")).toMatchObject(REFUSED);
      for (const namespace of ["shared/open", "shared/open/**", "shared/open/a"]) {
        expect(await requested(namespace), namespace).toMatchObject({ total: 0 });
      }
    }
    expect(await ask(fixture, "bob", "list", { tier, namespace: "**" })).toMatchObject(REFUSED);
    expect(await ask(fixture, "root", "list", { tier, namespace: "**" })).toMatchObject({ total: 0 });
  });

  it("omit unreadable tiers from a read that names no tier", async () => {
    const fixture = await started();
    for (const tier of ["semantic", "working"] as const) {
      for (const agent of ["root", "carol"])
        await ask(fixture, agent, "store", { entries: [entry(`${agent} ${tier}`, tier)] });
    }
    const asCarol = await ask(fixture, "carol", "retrieve", {});
    expect(asCarol).toMatchObject({
      total: 1,
      total_relation: "eq",
      entries: [{ content: "carol working" }],
    });
    expect(asCarol).not.toHaveProperty("degraded");
    expect(await ask(fixture, "root", "retrieve", {})).toMatchObject({ total: 2 });
  });

  it("restrict an agent to forgetting its own entries, or refuse the forget", async () => {
    const fixture = await started();
    const namespace = "shared";
    await ask(fixture, "root", "store", { namespace, entries: [entry("root's")] });
    await ask(fixture, "bob", "store", { namespace, entries: [entry("bob's")] });
    const all = { namespace, tier: "semantic", all: true };
    expect(await ask(fixture, "carol", "forget", all)).toMatchObject(REFUSED);
    expect(await ask(fixture, "bob", "forget", { ...all, namespace: "default" })).toMatchObject(REFUSED);
    expect(await ask(fixture, "bob", "forget", { ...all, cascade: true })).toMatchObject(REFUSED);
    expect(await ask(fixture, "bob", "forget", all)).toMatchObject({ deleted: 1 });
    expect(await ask(fixture, "root", "retrieve", { namespace })).toMatchObject({
      entries: [{ content: "root's" }],
    });
    // A forget that skipped a tier would look complete.
    expect(await ask(fixture, "bob", "forget", { all: true })).toMatchObject(REFUSED);
    expect(await ask(fixture, "root", "forget", { namespace, all: true })).toMatchObject({ deleted: 1 });
  });
});

describe("a rule", () => {
  it.each([
    [{}, "rules[0].allow must be a list of one or more items"],
    [
      { allow: ["own"] },
      "rules[0].allow[0] must be one of read, write, write_own, forget, forget_own, got own",
    ],
    [{ allow: [] }, "rules[0].allow must be a list of one or more items"],
    [{ allow: ["read"], tier: ["working"] }, "rules[0]: unknown option `tier` (did you mean `tiers`?)"],
    [{ allow: ["read"], agents: [] }, "rules[0].agents must be a list of one or more items"],
    [{ allow: ["read"], namespaces: ["a/**"] }, "rules[0].namespaces[0] must be a namespace, without /**"],
    [
      { allow: ["read"], tiers: ["short"] },
      "rules[0].tiers[0] must be one of working, episodic, semantic, got short",
    ],
    [{ allow: ["read"], tenants: ["a b"] }, "rules[0].tenants[0] must be a tenant name"],
  ])("is refused if it is %o", (rule, message) => {
    expect(() => parseOptions(HostOptionsSchema, { rules: [rule as never] })).toThrow(new TypeError(message));
  });
});
