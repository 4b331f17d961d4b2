import { withBudget } from "@membus/agentic";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { DURABLE_PREFIX, DurableHost, ENTRY_COUNT } from "./durable-host.js";
import { InspectorFixture } from "./inspector-fixture.js";

const POLL = { timeout: 60_000 };

describe.skipIf(CHROMIUM === undefined)("the view health (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    await fixture.alice.store([
      { key: "a", content: "one" },
      { key: "b", content: "two", tier: "semantic" },
    ]);
  });
  afterAll(() => fixture.stop());

  const cells = (page: Page, selector: string) => page.locator(`${selector} td`).allInnerTexts();
  const plots = (page: Page) => page.locator(".plot canvas");

  it("shows the host with its operations and tiers", async () => {
    const { page, problems } = await fixture.open("#/health");
    await page.locator("[data-tier=semantic]").waitFor();
    const { host_id } = await fixture.alice.ping();
    expect(await page.locator("[data-host]").getAttribute("data-host")).toBe(host_id);
    expect(await page.locator("[data-host]").textContent()).toContain("serving");
    const [, , requests, errors] = await cells(page, "[data-operation=store]");
    expect([requests, errors]).toEqual(["1", "0"]);
    expect(await page.locator("tr[data-tier]").count()).toBe(3);
    const [plugin, takesStores, , , entries] = await cells(page, "[data-tier=working]");
    expect([plugin, takesStores, entries]).toEqual(["lru", "yes", "1"]);
    expect(problems).toEqual([]);
  });

  it("shows the model budgets of the chosen agent", async () => {
    const usage = { inputTokens: 1_000, outputTokens: 200 };
    const reply = { text: "ok", toolCalls: [], finishReason: "stop", usage } as const;
    const model = withBudget({ complete: async () => reply }, fixture.alice, { tokens: 10_000 });
    await model.complete({ messages: [{ role: "user", content: "Hello" }] });
    const { page, problems } = await fixture.open("#/health", { agent: "alice" });
    await page.locator("[data-budget=agent]").waitFor();
    const [, tokens, , calls] = await cells(page, "[data-budget=agent]");
    expect([tokens, calls]).toEqual(["1,200 of 10,000", "1"]);
    expect(problems).toEqual([]);
  });

  it("samples while it is open, and shows the latest values in a table", async () => {
    const { page, problems } = await fixture.open("#/health");
    await plots(page).nth(3).waitFor();
    expect(await page.locator(".plot h3").allInnerTexts()).toEqual([
      "Requests",
      "Mean latency",
      "Waiting calls",
      "Memory",
    ]);
    const memory = page.locator(".plot", { hasText: "Memory" }).locator("td");
    await expect
      .poll(async () => Number((await memory.textContent())?.replace(",", "")), POLL)
      .toBeGreaterThan(10);
    const rate = page
      .getByRole("region", { name: "Requests", exact: true })
      .locator("tr", { hasText: "retrieve" });
    // Only later samples contain these requests.
    const asking = setInterval(() => void fixture.alice.retrieve({ query: "one" }).catch(() => {}), 50);
    try {
      await expect.poll(async () => Number(await rate.locator("td").textContent()), POLL).toBeGreaterThan(0);
    } finally {
      clearInterval(asking);
    }
    expect(problems).toEqual([]);
  });

  it("shows the progress of flushing and reindexing", async () => {
    const durable = new DurableHost(fixture.gateways);
    await durable.start();
    const { url } = await fixture.gateways.gateway({ prefix: DURABLE_PREFIX });
    const { page, problems } = await fixture.open("#/health", { url });
    const progress = page.locator("[data-tier=episodic] progress");
    await progress.and(page.locator(`[max="${ENTRY_COUNT}"]`)).waitFor({ timeout: 60_000 });
    expect(await progress.getAttribute("value")).toBe("0");
    expect(await page.locator("[data-tier=episodic] td").last().textContent()).toContain("0 of 20, paused");
    await page.getByRole("region", { name: "Backlog", exact: true }).waitFor();
    expect(problems).toEqual([]);
    await durable.stop();
  });

  it("reports that a host stopped", async () => {
    const { page, problems } = await fixture.open("#/health");
    await page.locator("[data-host]").waitFor();
    await fixture.gateways.stopHost();
    await page.getByText("No host of this tenant answers.").waitFor();
    expect(problems).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === undefined)(
  "the accessibility of the view health (where a Chromium is installed)",
  () => {
    const fixture = new InspectorFixture();
    beforeAll(() => fixture.start());
    afterAll(() => fixture.stop());

    it("is given in light and dark, on a phone", async () => {
      await fixture.expectAccessible("#/health", "alice", (page) =>
        page.locator(".plot canvas").nth(3).waitFor(),
      );
    });
  },
);
