import { MemoryClient } from "@membus/agent-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view live (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  let bob: MemoryClient;
  beforeAll(async () => {
    await fixture.start();
    bob = await MemoryClient.connect({ bus: await fixture.gateways.bus(), agent: "bob" });
  });
  afterAll(() => fixture.stop());

  const open = async (agent: string) => {
    const { page, problems } = await fixture.open("#/live", { agent });
    await page.locator("[data-stream=open]").waitFor();
    return { page, problems, items: page.locator(".changes > li") };
  };

  it("explains an empty list", async () => {
    const { page } = await open("nobody");
    await page.getByText("membus remember color blue --tenant default --agent nobody").waitFor();
  });

  it("shows earlier and new changes once each", async () => {
    await fixture.alice.store({ key: "before", content: "told before", tier: "episodic", tags: ["old"] });
    const { page, problems, items } = await open("alice");
    await items.filter({ hasText: "told before" }).waitFor();
    await fixture.alice.store({ key: "now", content: "told now", tier: "semantic", tags: ["fresh"] });
    await items.filter({ hasText: "told now" }).waitFor();
    const [first, second] = await items.allInnerTexts();
    expect(first).toMatch(/^stored\s+now\s+semantic · default · alice · .*\s+told now\s+fresh$/);
    expect(second).toMatch(/^stored\s+before\s+episodic · default · alice · .*\s+told before\s+old$/);
    await fixture.alice.forget({ keys: ["before"], tier: "episodic" });
    await items.filter({ hasText: "forgotten" }).waitFor();
    expect(await items.count()).toBe(3);
    expect(await items.filter({ hasText: "told before" }).count()).toBe(0);
    expect(problems).toEqual([]);
    expect(await page.getByRole("link", { name: "now" }).getAttribute("href")).toMatch(
      /^#\/memories\?entry=[0-9a-f]{64}/,
    );
  });

  it("shows an agent only its own changes, and all changes without an agent", async () => {
    const [alices, all] = [await open("alice"), await open("")];
    await bob.store({ key: "secret", content: "of bob", tier: "episodic" });
    await bob.store({ key: "shared", content: "for all", tier: "semantic" });
    await alices.items.filter({ hasText: "for all" }).waitFor();
    expect(await alices.items.filter({ hasText: "secret" }).count()).toBe(0);
    await all.items.filter({ hasText: "of bob" }).waitFor();
  });

  it("filters and pauses", async () => {
    const { page, items } = await open("alice");
    await fixture.alice.store({ key: "t1", content: "one", tier: "working" });
    await items.filter({ hasText: "t1" }).waitFor();
    await page.getByLabel("Tier").selectOption("semantic");
    expect(await items.filter({ hasText: "t1" }).count()).toBe(0);
    await page.getByLabel("Tier").selectOption("");
    await page.getByLabel("Author").fill("bob");
    await items.filter({ hasText: "t1" }).waitFor({ state: "detached" });
    await page.getByLabel("Author").fill("");
    await page.getByLabel("Namespace begins").fill("other");
    await items.filter({ hasText: "t1" }).waitFor({ state: "detached" });
    expect(page.url()).toContain("namespace=other");
    await page.getByLabel("Namespace begins").fill("def");
    await items.filter({ hasText: "t1" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await fixture.alice.store({ key: "t2", content: "two", tier: "working" });
    await page.getByText("Paused: 1 new").waitFor();
    expect(await items.filter({ hasText: "t2" }).count()).toBe(0);
    await page.getByRole("button", { name: "Pause" }).click();
    await items.filter({ hasText: "t2" }).waitFor();
  });

  it("keeps the last 200 changes", async () => {
    const { page, items } = await open("alice");
    const entries = Array.from({ length: 250 }, (_, n) => ({
      key: `many${n}`,
      content: n,
      tier: "working" as const,
    }));
    await fixture.alice.store(entries);
    await items.filter({ hasText: "many249" }).waitFor();
    await page.waitForFunction("document.querySelectorAll('.changes > li').length === 200");
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/live", "alice", (page) =>
      page.locator(".changes > li").first().waitFor(),
    );
  });
});
