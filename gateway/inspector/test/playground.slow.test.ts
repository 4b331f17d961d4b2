import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view playground (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    await fixture.alice.store([
      { key: { id: "tea" }, content: "Ada drinks <b>green</b> tea", tier: "episodic", tags: ["drink"] },
      { key: { id: "coffee" }, content: "Grace drinks coffee", tier: "episodic", tags: ["drink"] },
      { key: { id: "tram" }, content: "The tram is late", tier: "episodic" },
    ]);
  });
  afterAll(() => fixture.stop());

  const found = (page: Page) =>
    page.locator("[data-found]").evaluateAll((rows) => rows.map((row) => row.dataset.found));

  it("runs a request of the form as the bus does, and keeps it in the address", async () => {
    const { page, problems } = await fixture.open("#/playground", { agent: "alice" });
    await page.getByLabel("Query").fill("tea drinks");
    await page.getByLabel("Tags, with commas").fill("drink");
    await page.getByLabel("Limit").fill("5");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const status = page.getByRole("status").filter({ hasText: "2 entries" });
    expect(await status.textContent()).toMatch(/^2 entries, \d+ ms on the host$/);
    const { entries } = await fixture.alice.retrieve({ query: "tea drinks", tags: ["drink"], limit: 5 });
    expect(await found(page)).toEqual(entries.map(({ key }) => (key as { id: string }).id));
    expect(await found(page)).toEqual(["tea", "coffee"]);
    await page.getByRole("link", { name: "Ada drinks <b>green</b> tea" }).waitFor();
    const { page: copy } = await fixture.open(new URL(page.url()).hash);
    await copy.getByRole("status").filter({ hasText: "2 entries" }).waitFor();
    expect(await copy.getByLabel("Tags, with commas").inputValue()).toBe("drink");
    expect(problems).toEqual([]);
  });

  it("runs edited JSON, and shows programs that send it", async () => {
    const { page, problems } = await fixture.open("#/playground", { agent: "alice" });
    await page.getByLabel("Request as JSON").locator("textarea").fill('{"tags":["drink"],"order":"oldest"}');
    await page.getByRole("button", { name: "Run the JSON" }).click();
    await page.getByRole("status").filter({ hasText: "2 entries" }).waitFor();
    expect(await page.locator("[data-snippet=nats] pre").textContent()).toBe(
      `nats req a2e.default.alice.memory.retrieve.req '{"type":"memory/retrieve/req","tags":["drink"],"order":"oldest"}'`,
    );
    expect(await page.locator("[data-snippet=Python] pre").textContent()).toContain('tags=["drink"],');
    await page.getByRole("button", { name: "Copy nats" }).click();
    await page.getByText(/^(Copied|Select the text to copy it)$/).waitFor();
    expect(problems).toEqual([]);
  });

  it("reports a mistake in the request", async () => {
    const { page } = await fixture.open(`#/playground?request={"limit":"x"}`, { agent: "alice" });
    await page.getByRole("alert").getByText("limit: must be at most 100").waitFor();
    await page.getByText("More parameters").click();
    await page.getByLabel("Filter as JSON").fill("{");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("alert").getByText("The filter is not valid JSON").waitFor();
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible(`#/playground?request={"query":"tea"}`, "alice", (page) =>
      page.locator("[data-found]").first().waitFor(),
    );
  });
});
