import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view memories (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start({}, { semantic: createLanceDbPlugin() });
    const { alice } = fixture;
    await alice.store([
      { key: { id: "earth" }, content: "Earth orbits the Sun", tier: "semantic", tags: ["astronomy"] },
      { key: { id: "mars" }, content: "Mars orbits the Sun", tier: "semantic", tags: ["astronomy", "red"] },
      { key: { id: "bread" }, content: { text: "Bread is baked", flour: 500 }, tier: "semantic" },
    ]);
    const many = Array.from({ length: 45 }, (_, n) => ({
      key: `e${n}`,
      content: `number ${n}`,
      tier: "episodic" as const,
    }));
    await alice.inNamespace("diary/june").store(many);
    await alice.inNamespace("diary").store({ key: "root", content: "begun", tier: "episodic" });
    await alice.forSession("s1").store({ key: "step", content: "third", tier: "working" });
    const [source] = (await alice.retrieve({ keys: [{ id: "earth" }], tier: "semantic" })).entries;
    await alice.store({ key: "moral", content: "It moves", tier: "semantic", sources: [source!.key_hash] });
  });
  afterAll(() => fixture.stop());

  const open = async (hash = "#/memories") => {
    const { page, problems } = await fixture.open(hash, { agent: "alice" });
    await page.getByRole("heading", { name: "Entries" }).waitFor();
    return { page, problems, results: page.locator("section[aria-labelledby=entries] > ol > li") };
  };

  it("shows namespaces with the number of entries in their subtree", async () => {
    const { page, problems } = await open();
    const tree = page.locator("section[aria-labelledby=namespaces] > ul");
    await tree.getByRole("link", { name: "june" }).waitFor();
    const [text = ""] = await tree.allInnerTexts();
    expect(text.split(/\s+/)).toEqual(["default", "4", "diary", "46", "june", "45"]);
    await tree.getByRole("link", { name: "diary" }).click();
    await page.getByText("46 entries").waitFor();
    expect(await tree.getByRole("link", { name: "diary" }).getAttribute("aria-current")).toBe("true");
    expect(problems).toEqual([]);
  });

  it("shows page after page, and each entry once", async () => {
    const { page, results } = await open("#/memories?namespace=diary/**");
    await page.getByText("46 entries").waitFor();
    expect(await results.count()).toBe(20);
    for (const count of [40, 46]) {
      await page.getByRole("button", { name: "Show more" }).click();
      await results.nth(count - 1).waitFor();
    }
    expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
    const names = await results.locator("p.line > a").allInnerTexts();
    expect(new Set(names).size).toBe(46);
  });

  it("searches as the bus does, and explains scores", async () => {
    const { page, results } = await open();
    await page.getByLabel("Search").fill("which planets orbit the sun");
    await page.getByRole("button", { name: "Search" }).click();
    await results.locator("summary").first().waitFor();
    const found = await fixture.alice.retrieve({
      query: "which planets orbit the sun",
      namespace: "default/**",
      limit: 20,
    });
    const [first] = found.entries;
    expect(await results.first().locator("p.line > a").textContent()).toBe((first!.key as { id: string }).id);
    const summary = results.first().locator("summary");
    expect(await summary.textContent()).toBe(`Score ${first!.score.toFixed(2)}`);
    await summary.click();
    const words = await results.first().locator("tbody th").allInnerTexts();
    expect(words).toContain("orbit");
    await page.getByText("Ranking").click();
    await page.getByText("semantic: 4 entries scanned. Terms").waitFor();
  });

  it("filters by tier, tag and session", async () => {
    const { page, results } = await open();
    await page.getByLabel("Tags, separated").fill("astronomy, red");
    await page.getByLabel("Tier").selectOption("semantic");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("1 entry").waitFor();
    expect(await results.locator("p.line > a").allInnerTexts()).toEqual(["mars"]);
    await page.getByLabel("Tags, separated").fill("");
    await page.getByLabel("Tier").selectOption("working");
    await page.getByLabel("Session").fill("s1");
    await page.getByRole("button", { name: "Search" }).click();
    await results.getByText("third").waitFor();
    expect(await results.count()).toBe(1);
  });

  it("filters by time", async () => {
    const { page } = await open("#/memories?namespace=default/**&since=4000000000");
    await page.getByText("No entries match these filters").waitFor();
    expect(await page.getByLabel("From").inputValue()).toMatch(/^2096-/);
  });

  it("shows an error next to the form", async () => {
    const { page } = await open("#/memories?namespace=a//b");
    await page.getByRole("alert").getByText("namespace").waitFor();
  });

  it("shows an entry with its sources and derived entries", async () => {
    const { page, problems } = await open("#/memories?namespace=default/**");
    await page.getByRole("link", { name: "earth" }).click();
    await page.getByRole("heading", { name: "earth" }).waitFor();
    const [entry] = (await fixture.alice.retrieve({ keys: [{ id: "earth" }], tier: "semantic" })).entries;
    await page.getByRole("row", { name: `Revision ${entry!.revision}`, exact: true }).waitFor();
    await page.getByText("This entry names no sources.").waitFor();
    await page.getByRole("link", { name: "It moves" }).click();
    await page.getByRole("heading", { name: "moral" }).waitFor();
    await page.getByRole("link", { name: "Earth orbits the Sun" }).waitFor();
    await page.getByText("No entry was derived from this entry.").waitFor();
    expect(await page.getByRole("button", { name: "Store" }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("reports that the shown entry has changed", async () => {
    await fixture.alice.store({ key: "draft", content: "first", tier: "episodic" });
    const { page } = await open("#/memories?namespace=default/**&tier=episodic");
    await page.getByRole("link", { name: "draft" }).click();
    await page.locator("pre").getByText("first").waitFor();
    await page.locator("[data-stream=open]").waitFor();
    await fixture.alice.store({ key: "draft", content: "second", tier: "episodic" });
    await page.getByRole("button", { name: "Reload" }).click();
    await page.locator("pre").getByText("second").waitFor();
  });

  it("is accessible, and fits a phone", async () => {
    const entry = async (hash: string) =>
      fixture.expectAccessible(hash, "alice", (page) => page.locator("summary, article").first().waitFor());
    await entry("#/memories?q=orbits&namespace=default/**");
    const [{ key_hash } = { key_hash: "" }] = (await fixture.alice.retrieve({ keys: ["moral"] })).entries;
    await entry(`#/memories?entry=${key_hash}&at=semantic default`);
  });
});
