import { createLanceDbPlugin } from "@membus/plugin-lancedb";
import { keyHash } from "@membus/protocol";
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
    return { page, problems, results: page.locator("[data-entry]") };
  };

  it("offers namespaces with the number of entries in their subtree", async () => {
    const { page, problems } = await open();
    await page.getByRole("button", { name: "Namespace" }).click();
    const choices = page.locator(".toolbar .choices li");
    await choices.nth(3).waitFor();
    expect((await choices.allInnerTexts()).map((text) => text.trim().split(/\s+/))).toEqual([
      ["All", "namespaces"],
      ["default", "4"],
      ["diary", "46"],
      ["diary/june", "45"],
    ]);
    await choices.nth(2).getByRole("link").click();
    await page.getByText("46 entries").waitFor();
    expect(page.url()).toContain("namespace=diary");
    await page.goBack();
    await page.getByText("50 entries").waitFor();
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
    const names = await results.evaluateAll((rows) => rows.map((row) => row.dataset.entry));
    expect(new Set(names).size).toBe(46);
  });

  it("searches as the bus does, and explains scores in words", async () => {
    const { page, results } = await open("#/memories?namespace=default/**");
    await page.getByLabel("Search, or filter").fill("which planets orbit the sun");
    await page.getByRole("button", { name: "Search" }).click();
    await results.locator("summary").first().waitFor();
    const found = await fixture.alice.retrieve({
      query: "which planets orbit the sun",
      namespace: "default/**",
      limit: 20,
    });
    const [first] = found.entries;
    expect(await results.first().getAttribute("data-entry")).toBe((first!.key as { id: string }).id);
    const summary = results.first().locator("summary");
    expect((await summary.textContent())!.trim().replace(/\s+/g, " ")).toBe(
      `Score ${first!.score.toFixed(2)}`,
    );
    await summary.click();
    await results.first().getByText("The words of the query fit").waitFor();
    const words = await results.first().locator("tbody th").allInnerTexts();
    expect(words).toContain("orbit");
    await page.getByText("Ranking").click();
    await page.getByText("semantic: 4 entries scanned. Terms").waitFor();
  });

  it("searches all namespaces, the best first", async () => {
    const { page, results } = await open("#/memories?q=begun sun");
    await results.nth(2).waitFor();
    const names = await results.evaluateAll((rows) => rows.map((row) => row.dataset.entry));
    expect(names.toSorted()).toEqual(["earth", "mars", "root"]);
    expect(page.url()).not.toContain("namespace");
  });

  it("reads filters from the text, and shows them as chips", async () => {
    const { page, results } = await open();
    const field = page.getByLabel("Search, or filter");
    await field.fill("tag:astronomy tag:red tier:semantic");
    await page.keyboard.press("Enter");
    await page.getByText("1 entry", { exact: true }).waitFor();
    expect(await results.first().getAttribute("data-entry")).toBe("mars");
    expect(new URL(page.url()).hash).toContain("tier=semantic&tags=%5B%22astronomy%22%2C%22red%22%5D");
    await page.getByRole("link", { name: "Remove the filter tag: red" }).click();
    await page.getByText("2 entries", { exact: true }).waitFor();
    await page.goBack();
    await page.getByText("1 entry", { exact: true }).waitFor();
    await field.fill("tier:working session:s1");
    await page.keyboard.press("Enter");
    await page.getByText("No entries match these filters.").waitFor();
    const { page: copy, results: copied } = await open("#/memories?tier=working&session=s1");
    await copied.getByText("third").waitFor();
    await copy.getByRole("list", { name: "Active filters" }).getByText("session: s1").waitFor();
  });

  it("shows cards instead of a table, also from a copied address", async () => {
    const { page } = await open("#/memories?namespace=default/**");
    await page.getByRole("link", { name: "Cards" }).click();
    await page.locator(".cards > li").nth(3).waitFor();
    const { page: copy } = await open(new URL(page.url()).hash);
    await copy.locator(".cards > li").nth(3).waitFor();
  });

  it("filters by kind and by time", async () => {
    const { page } = await open("#/memories?namespace=default/**&since=4000000000");
    await page.getByText("No entries match these filters").waitFor();
    await page.getByRole("link", { name: "Remove the filter since: " }).click();
    await page.getByText("4 entries").waitFor();
    const { page: facts } = await open("#/memories?kind=fact");
    await facts.getByText("0 entries").waitFor();
    const { page: others } = await open("#/memories?kind=-");
    await others.getByText("50 entries").waitFor();
  });

  it("shows an error next to the form", async () => {
    const { page } = await open("#/memories?namespace=a//b");
    await page.getByRole("alert").getByText("namespace").waitFor();
  });

  it("shows an entry with its sources and derived entries", async () => {
    const { page, problems, results } = await open("#/memories?namespace=default/**");
    const panel = page.getByRole("complementary", { name: "Entry" });
    const earth = results.getByRole("link", { name: "Earth orbits the Sun", exact: true });
    await earth.click();
    await page.getByRole("heading", { name: "earth" }).waitFor();
    expect(await earth.getAttribute("aria-current")).toBe("true");
    const [entry] = (await fixture.alice.retrieve({ keys: [{ id: "earth" }], tier: "semantic" })).entries;
    await page.getByRole("row", { name: `Revision ${entry!.revision}`, exact: true }).waitFor();
    expect(
      await page.locator("[data-moment]").evaluateAll((rows) => rows.map((row) => row.dataset.moment)),
    ).toEqual(["created"]);
    await page.getByText("This entry names no sources.").waitFor();
    await panel.getByRole("link", { name: "It moves" }).click();
    await page.getByRole("heading", { name: "moral" }).waitFor();
    await panel.getByRole("link", { name: "Earth orbits the Sun" }).waitFor();
    await page.getByText("No entry was derived from this entry.").waitFor();
    expect(await panel.locator(".lineage li").allInnerTexts()).toEqual([
      "Earth orbits the Sun\nsource · semantic · default",
      "This entry",
    ]);
    await panel.getByText("To edit and forget, run").waitFor();
    expect(await page.getByRole("button", { name: "Store" }).count()).toBe(0);
    await page.getByRole("link", { name: "Close the entry" }).click();
    await page.locator("aside").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  it("counts the sources of an entry that cannot be read", async () => {
    const sea = fixture.alice.inNamespace("sea");
    for (const tier of ["episodic", "semantic"] as const)
      await sea.store({ key: { id: "tide" }, content: "The tide turns", tier });
    const sources = ["tide", "gone", "lost"].map((id) => keyHash({ id }));
    await sea.store({ key: "ebb", content: "The water falls", tier: "semantic", sources });
    const { page } = await open("#/memories?namespace=sea&tier=semantic");
    await page.locator("[data-entry=ebb] a").click();
    const panel = page.getByRole("complementary", { name: "Entry" });
    await panel.getByRole("heading", { name: "ebb" }).waitFor();
    expect((await panel.locator(".lineage li").allInnerTexts()).toSorted()).toEqual([
      "The tide turns\nsource · episodic · sea",
      "The tide turns\nsource · semantic · sea",
      "This entry\n2 of its sources cannot be read.",
    ]);
  });

  it("reports that the shown entry has changed", async () => {
    await fixture.alice.store({ key: "draft", content: "first", tier: "episodic" });
    const { page } = await open("#/memories?namespace=default/**&tier=episodic");
    await page.locator("[data-entry=draft] a").click();
    await page.locator("pre").getByText("first").waitFor();
    await page.locator("[data-stream=open]").waitFor();
    await fixture.alice.store({ key: "draft", content: "second", tier: "episodic" });
    await page.getByRole("button", { name: "Reload" }).click();
    await page.locator("pre").getByText("second").waitFor();
  });

  it("shows since when a fact is valid, and what replaced it", async () => {
    const about = fixture.alice.inNamespace("about/user:ada");
    const fact = (id: string, text: string, metadata = {}) => ({
      key: { fact: id },
      content: { text },
      tier: "episodic" as const,
      metadata: { kind: "fact", about: "user:ada", trust: "user", ...metadata },
    });
    const end = { valid_until: 1_700_000_000, superseded_by: keyHash({ fact: "coffee" }) };
    await about.store([
      fact("tea", "Ada prefers tea", { valid_from: 1_600_000_000, ...end }),
      fact("coffee", "Ada prefers coffee", { valid_from: 1_700_000_000 }),
      fact("rome", "Ada will be in Rome", { valid_until: 4_000_000_000 }),
    ]);
    const { page, problems, results } = await open("#/memories?namespace=about/user:ada");
    const panel = page.getByRole("complementary", { name: "Entry" });
    const validity = panel.getByRole("region", { name: "Validity" });
    const outdated = results.filter({ hasText: "outdated" });
    await outdated.getByRole("link", { name: "Ada prefers tea" }).click();
    expect(await outdated.count()).toBe(1);
    await validity.getByText("Valid since Sep 13, 2020").waitFor();
    await validity.getByText("replaced by Ada prefers coffee").waitFor();
    expect(await panel.locator("[data-moment=ended]").textContent()).toContain(
      "replaced by Ada prefers coffee",
    );
    await validity.getByRole("link", { name: "Ada prefers coffee" }).click();
    await panel.getByRole("heading", { name: "coffee" }).waitFor();
    await validity.getByText("Replaces Ada prefers tea").waitFor();
    expect(await validity.getByText("Valid until").count()).toBe(0);
    await page.getByRole("link", { name: "Cards" }).click();
    await page.locator(".cards > li.outdated").getByText("outdated").waitFor();
    expect(problems).toEqual([]);
    await fixture.expectAccessible(new URL(page.url()).hash, "alice", (shown) =>
      shown.locator("article").waitFor(),
    );
    const table = "#/memories?namespace=about/user:ada";
    await fixture.expectAccessible(table, "alice", (shown) => shown.locator("tr.outdated").waitFor());
  });

  it("shows every column of the table beside an entry", async () => {
    const { page, results } = await open("#/memories?namespace=default/**");
    await results.first().getByRole("link").click();
    await page.locator("article").waitFor();
    const columns = await page.locator(".entries thead th:visible").allInnerTexts();
    expect(columns).toEqual(["Entry", "Tier", "Occurred"]);
    expect(await results.first().locator("th:visible, td:visible").count()).toBe(3);
  });

  it("shows the whole table on a phone", async () => {
    const { page } = await fixture.open("#/memories?namespace=default/**", {
      agent: "alice",
      viewport: { width: 390, height: 844 },
    });
    await page.locator("[data-entry] .when").first().waitFor();
    const region = page.getByRole("region", { name: "Table of entries" });
    expect(await region.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
  });

  it("is accessible, and fits a phone", async () => {
    const entry = async (hash: string) =>
      fixture.expectAccessible(hash, "alice", (page) =>
        page.locator("[data-entry] summary, article").first().waitFor(),
      );
    await entry("#/memories?q=orbits&namespace=default/**");
    const [{ key_hash } = { key_hash: "" }] = (await fixture.alice.retrieve({ keys: ["moral"] })).entries;
    await entry(`#/memories?entry=${key_hash}&at=semantic default`);
  });
});
