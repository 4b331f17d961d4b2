import { openConversation, withBudget } from "@membus/agentic";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view overview (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    fixture.gateways.queuedWrites = async () => 14;
    await fixture.start();
    const { alice } = fixture;
    await alice.store([
      { key: "a", content: "one", tier: "episodic" },
      { key: "b", content: "<b>two</b>", tier: "semantic" },
    ]);
    await alice.inNamespace("about/user:ada").store({ key: "c", content: "three", tier: "episodic" });
    const talk = await openConversation(alice, { id: "user:linus" });
    await talk.add({ role: "user", content: "Good morning" });
    await alice.forAgent("bob").store({ key: "e", content: "five", tier: "episodic" });
    const usage = { inputTokens: 1_000, outputTokens: 200 };
    const reply = { text: "ok", toolCalls: [], finishReason: "stop", usage } as const;
    const model = withBudget({ complete: async () => reply }, alice, { tokens: 10_000 });
    await model.complete({ messages: [{ role: "user", content: "Hello" }] });
  });
  afterAll(() => fixture.stop());

  const open = async (agent?: string, hash = "#/overview") => {
    const opened = await fixture.open(hash, agent === undefined ? {} : { agent });
    await opened.page.locator("main [aria-busy=false]").waitFor();
    return opened;
  };
  const tile = (page: Page, name: string) => page.locator(`[data-tile=${name}] strong`).textContent();
  const bars = async (page: Page, id: string) => {
    const rows = await page.locator(`section[aria-labelledby=${id}] [data-bar]`).allInnerTexts();
    return rows.map((row) => row.trim().split(/\s+/));
  };

  it("is the first view, and shows the figures of the bus", async () => {
    const { page, problems } = await open("alice", "");
    const { alice } = fixture;
    const counts = await Promise.all(
      (["episodic", "semantic"] as const).map((tier) => alice.list({ tier, namespace: "**", depth: 1 })),
    );
    const entries = counts.flatMap(({ items }) => items).reduce((sum, { count }) => sum + count, 0);
    expect(await tile(page, "Entries")).toBe(String(entries));
    expect(entries).toBe(5);
    expect(await tile(page, "Users")).toBe("2");
    expect(await tile(page, "Cost")).toBe("1,200 tokens");
    await page.locator("[data-tile=Queue]").getByText("waiting calls, 14 in the outbox").waitFor();
    expect(await bars(page, "tiers")).toEqual([
      ["working", "0"],
      ["episodic", "4"],
      ["semantic", "1"],
    ]);
    expect(await page.locator("[data-created]").getAttribute("data-created")).toBe("5");
    expect(problems).toEqual([]);
  });

  it("shows all known agents without an agent, and leads to each", async () => {
    const { page, problems } = await open();
    expect(await tile(page, "Entries")).toBe("6");
    const rows = await page.locator("[data-agent-row]").allInnerTexts();
    expect(rows.map((row) => row.trim().split(/\s+/).slice(0, 3))).toEqual([
      ["alice", "4", "1"],
      ["bob", "1", "0"],
    ]);
    await page.getByRole("link", { name: "bob" }).click();
    await page.locator("main[data-agent=bob]").waitFor();
    expect(problems).toEqual([]);
  });

  it("says that recent activity without an agent shows shared entries", async () => {
    const { page } = await open();
    const recent = page.locator("section[aria-labelledby=recent]");
    await recent.getByText("Only entries that agents share.").waitFor();
    await recent.getByRole("link", { name: "<b>two</b>" }).waitFor();
  });

  it("shows that figures are loading", async () => {
    const { page } = await fixture.open("#/health", { agent: "alice" });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/inspector/{overview,health}?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole("link", { name: "Overview" }).click();
    await page.locator("section[aria-labelledby=growth]").getByText("Loading").waitFor();
    expect([await tile(page, "Entries"), await tile(page, "Queue")]).toEqual(["…", "…"]);
    expect(await page.getByText("unknown").count()).toBe(0);
    release();
    await page.locator("main [aria-busy=false]").waitFor();
    expect(await page.getByText("Loading").count()).toBe(0);
  });

  it("shows the state of the hosts", async () => {
    const { page } = await open("alice");
    // On a busy machine a host may answer later than the gateway waits.
    const health = async () => {
      await page.reload();
      await page.locator("main [aria-busy=false]").waitFor();
      return tile(page, "Health");
    };
    await expect.poll(health).toBe("serving");
  });

  it("keeps the time range in the address", async () => {
    const { page } = await open("alice");
    await page.getByRole("link", { name: "30 days" }).click();
    await page.waitForURL(/range=month/);
    await page.locator(".growth rect").nth(29).waitFor();
    await page.goBack();
    await page.locator(".growth rect").nth(14).waitFor({ state: "detached" });
  });

  it("leads from each figure to its view", async () => {
    const { page } = await open("alice");
    const hrefs = await page
      .locator(".tile")
      .evaluateAll((tiles) => tiles.map((one) => one.getAttribute("href")));
    expect(hrefs.map((href) => href!.split("?")[0])).toEqual([
      "#/memories",
      "#/users",
      "#/memories",
      "#/health",
      "#/health",
      "#/health",
    ]);
  });

  it("shows content as text, never as markup", async () => {
    const { page } = await open("alice");
    await page.getByRole("link", { name: "<b>two</b>" }).waitFor();
  });

  it("shows unknown figures as unknown", async () => {
    const { page } = await fixture.open("#/health", { agent: "alice" });
    await page.route("**/inspector/overview?*", (route) =>
      route.fulfill({
        json: {
          ...{ at: 0, agents: 1, kinds: null, namespaces: null, largest: null, users: null },
          tiers: [{ tier: "episodic", entries: null, bytes: null }],
          growth: { range: "week", step_s: 43_200, steps: [{ from: 0, entries: null }] },
        },
      }),
    );
    await page.getByRole("link", { name: "Overview" }).click();
    await page.locator("main [aria-busy=false]").waitFor();
    expect([await tile(page, "Entries"), await tile(page, "Users")]).toEqual(["unknown", "unknown"]);
    expect(await bars(page, "tiers")).toEqual([["episodic", "unknown"]]);
    await page.getByText("The number of created entries is unknown.").waitFor();
    expect(await page.locator(".growth .unknown").getAttribute("height")).toBe("12");
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/overview", "alice", async (page) => {
      await page.locator("main [aria-busy=false]").waitFor();
      await page.getByRole("button", { name: "Agent" }).click();
      await page.locator(".choices li").nth(1).waitFor();
    });
  });
});
