import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { createLruPlugin } from "@membus/plugin-lru";
import { systemClock } from "@membus/protocol";
import { afterAll, describe, expect, it } from "vitest";
import type { AccessRule } from "../src/index.js";
import { HostFixture } from "./host-fixture.js";
import { MapPlugin } from "./map-plugin.js";

const RULES: readonly AccessRule[] = [
  { tiers: ["semantic"], allow: ["read", "write_own", "forget_own"] },
  { tiers: ["semantic"], agents: ["curator"], allow: ["write"] },
];
const directory = mkdtempSync(join(tmpdir(), "membus-test-"));
afterAll(() => rmSync(directory, { recursive: true }));

const PLUGINS = {
  lru: () => createLruPlugin(),
  lancedb: () => createLanceDbPlugin(),
};

const shared = (key: string, content: unknown) => ({ key, content, tier: "semantic" });
const author = async (fixture: HostFixture, key: string) =>
  ((await fixture.retrieve({ keys: [key] })).entries as { author: string }[]).map((entry) => entry.author);

describe.each(["lru", "lancedb"] as const)("write_own in %s", (name) => {
  const started = () =>
    HostFixture.start({
      plugins: { semantic: PLUGINS[name]() },
      options: { rules: RULES },
      // Closing a folder takes real time.
      dependencies: {
        clock: systemClock,
        dataDirectories: { semantic: mkdtempSync(join(directory, `${name}-`)) },
      },
    });

  it("lets an agent add entries and overwrite its own, but no entries of other agents", async () => {
    const fixture = await started();
    await fixture.store([shared("a", 1)], {}, "alice");
    expect(await fixture.store([shared("a", 2)], {}, "alice")).toMatchObject({
      receipts: [{ outcome: "updated" }],
    });
    const asBob = await fixture.store([shared("a", 3), shared("b", 1)], { id: "once" }, "bob");
    expect(asBob).toMatchObject({
      stored: [{ name: "b" }],
      errors: [{ index: 0, code: "unauthorized", detail: { path: "key" } }],
    });
    expect(await fixture.store([shared("a", 3), shared("b", 1)], { id: "once" }, "bob")).toMatchObject({
      receipts: asBob.receipts,
      errors: asBob.errors,
    });
    // Neither with the stored content, nor over a revision that the agent has read.
    expect(await fixture.store([shared("a", 2)], {}, "bob")).toMatchObject({ stored: [] });
    expect(await fixture.forget({ tier: "semantic", keys: ["a"] }, "bob")).toMatchObject({ deleted: 0 });
    expect(await author(fixture, "a")).toEqual(["alice"]);
    expect(await fixture.store([shared("a", 4)], {}, "curator")).toMatchObject({ errors: [] });
    expect(await author(fixture, "a")).toEqual(["curator"]);
    expect(await fixture.store([shared("a", 5)], {}, "alice")).toMatchObject({
      errors: [{ code: "unauthorized" }],
    });
  });

  it("gives a key to only one of several concurrent writers", async () => {
    const fixture = await started();
    const agents = Array.from({ length: 8 }, (_, at) => `agent${at}`);
    for (let key = 0; key < 20; key++) {
      const stores = agents.map((agent) => fixture.store([shared(`key ${key}`, agent)], {}, agent));
      const codes = (await Promise.all(stores)).map(({ errors }) => (errors as { code: string }[])[0]?.code);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(await author(fixture, `key ${key}`)).toEqual([agents[codes.indexOf(undefined)]]);
    }
  });
});

it("write_own refuses stores into a tier that does not support own_only", async () => {
  const fixture = await HostFixture.start({
    plugins: { semantic: new MapPlugin() },
    options: { rules: RULES },
  });
  expect(await fixture.store([shared("a", 1)], {}, "alice")).toMatchObject({
    errors: [{ code: "unsupported", detail: { feature: "own_only" } }],
  });
  expect(await fixture.store([shared("a", 1)], {}, "curator")).toMatchObject({ errors: [] });
});
