import { KnowledgeGraph } from "@membus/agentic";
import type { NeighbourhoodReply } from "@membus/gateway/inspector-api";
import { keyHash } from "@membus/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tellTalk } from "../../test/sample-conversations.js";
import { fitInto, placeNodes } from "../src/views/graph/graph-layout.js";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

const POLL = { timeout: 60_000 };
const ROME = "#/graph?tier=episodic&namespace=graph&name=Rome";

describe.skipIf(CHROMIUM === undefined)("the view graph (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    await tellTalk(fixture.alice);
  });
  afterAll(() => fixture.stop());

  const nodes = (page: Page) => page.locator(".nodes > li");
  const nodeTexts = async (page: Page) =>
    (await nodes(page).locator("> button:not(.small)").allInnerTexts()).sort();
  const button = (page: Page, name: string) =>
    page.locator(".nodes > li > button").filter({ hasText: new RegExp(`^${name}$`) });

  /** Returns the pixel of a node in the neighbourhood of Rome. */
  async function pixelOf(page: Page, name: string) {
    const query = "tenant=default&agent=alice&tier=episodic&namespace=graph&name=Rome&limit=200";
    const response = await fetch(`${fixture.url}/inspector/neighbourhood?${query}`);
    const { nodes, edges } = (await response.json()) as NeighbourhoodReply;
    const ids = nodes.map(({ id }) => id);
    const places = placeNodes(ids, edges);
    const { width, height } = (await page.locator("canvas").boundingBox())!;
    const { scale, left, top } = fitInto(places.values(), width, height);
    const { x, y } = places.get(nodes.find(({ text }) => text === name)!.id)!;
    return { x: left + scale * x, y: top + scale * y };
  }

  it("draws the whole graph at once", async () => {
    const { page, problems } = await fixture.open("#/graph", { agent: "alice" });
    await page.getByRole("heading", { name: "Whole graph in graph" }).waitFor();
    await button(page, "Italy").waitFor();
    expect(await nodeTexts(page)).toEqual(["Europe", "Italy", "Rome", "Rome entity type city", "Tiber"]);
    expect(await button(page, "Rome").getAttribute("aria-current")).toBe("true");
    await expect.poll(() => page.evaluate(COLOR_COUNT), POLL).toBeGreaterThan(3);
    expect(problems).toEqual([]);
  });

  it("adds the neighbours of a node, and keeps them in the address", async () => {
    const { page } = await fixture.open(ROME, { agent: "alice" });
    await page.getByRole("button", { name: "Expand Italy" }).click();
    await button(page, "Europe").waitFor();
    expect(await nodeTexts(page)).toEqual(["Europe", "Italy", "Rome", "Rome entity type city", "Tiber"]);
    const { page: copy } = await fixture.open(new URL(page.url()).hash);
    await button(copy, "Europe").waitFor();
    await page.goBack();
    await button(page, "Europe").waitFor({ state: "detached" });
  });

  it("is moved and scaled by keyboard and buttons", async () => {
    const { page, problems } = await fixture.open(ROME, { agent: "alice" });
    await button(page, "Italy").waitFor();
    const drawn = async () => page.evaluate<string>("document.querySelector('canvas').toDataURL()");
    await expect.poll(() => page.evaluate(COLOR_COUNT), POLL).toBeGreaterThan(3);
    const before = await drawn();
    await page.getByRole("group", { name: /^Picture of the graph/ }).focus();
    await page.keyboard.press("ArrowLeft");
    await expect.poll(async () => (await drawn()) !== before, POLL).toBe(true);
    await page.keyboard.press("0");
    await expect.poll(async () => (await drawn()) === before, POLL).toBe(true);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(async () => (await drawn()) !== before, POLL).toBe(true);
    await page.getByRole("button", { name: "Fit" }).click();
    await expect.poll(async () => (await drawn()) === before, POLL).toBe(true);
    expect(problems).toEqual([]);
  });

  it("starts at frequent names, and at names that match words", async () => {
    const { page, problems } = await fixture.open("#/graph", { agent: "alice" });
    const names = page.getByRole("list", { name: "Names" });
    await names.getByRole("button", { name: "Rome" }).waitFor();
    expect(await names.getByRole("button").allInnerTexts()).toEqual(["Rome", "Italy", "Tiber"]);
    await page.getByLabel("Words").fill("which river flows through it");
    await page.getByRole("button", { name: "Find names" }).click();
    await names.getByRole("button", { name: "Tiber" }).waitFor();
    await names.getByRole("button", { name: "Tiber" }).click();
    await page.getByRole("heading", { name: "Neighbours of Tiber" }).waitFor();
    await button(page, "Europe").waitFor({ state: "detached" });
    expect(await nodeTexts(page)).toEqual(["Rome", "Tiber"]);
    expect(problems).toEqual([]);
  });

  it("shows the graph of the bus with tier and namespace", async () => {
    const { page, problems } = await fixture.open(ROME, { agent: "alice" });
    await button(page, "Italy").waitFor();
    const { neighbours } = await new KnowledgeGraph(fixture.alice).neighbours("Rome");
    const expected = [...neighbours.map(({ node }) => node), "Rome", "Rome entity type city"].sort();
    expect(await nodeTexts(page)).toEqual(expected);
    expect(await nodes(page).first().textContent()).toContain("capital of Italy");
    expect(await nodes(page).first().textContent()).toContain("name in graph");
    expect(await nodes(page).first().locator(".tag").textContent()).toBe("episodic");
    expect(await page.getByRole("heading", { name: "4 nodes, 3 edges" }).count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("is navigated by keyboard", async () => {
    const { page } = await fixture.open(ROME, { agent: "alice" });
    await button(page, "Italy").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Neighbours of Italy" }).waitFor();
    await button(page, "Europe").waitFor();
    expect(await nodeTexts(page)).toEqual(["Europe", "Italy", "Rome"]);
    expect(await button(page, "Italy").getAttribute("aria-current")).toBe("true");
    await page.goBack();
    await page.getByRole("heading", { name: "Neighbours of Rome" }).waitFor();
  });

  it("shows two steps on request", async () => {
    const { page } = await fixture.open(ROME, { agent: "alice" });
    await button(page, "Italy").waitFor();
    await page.getByLabel("Steps").selectOption("2");
    await button(page, "Europe").waitFor();
    expect(await nodeTexts(page)).toEqual(["Europe", "Italy", "Rome", "Rome entity type city", "Tiber"]);
  });

  it("leads from a triple to its sources", async () => {
    const { page } = await fixture.open(ROME, { agent: "alice" });
    await page.getByRole("button", { name: "Source of Tiber flows through Rome" }).click();
    await button(page, "The Tiber.").waitFor();
    expect(await nodeTexts(page)).toEqual([
      "Rome",
      "Thanks. Which river flows there?",
      "The Tiber.",
      "Tiber",
      "Tiber flows through Rome",
    ]);
  });

  it("shows entries derived from an entry", async () => {
    const m1 = keyHash({ conversation: "trip", message: "m1" });
    const { page } = await fixture.open(`#/graph?entry=${m1}`, { agent: "alice" });
    await button(page, "lives in Rome").waitFor();
    expect(await nodeTexts(page)).toEqual([
      "I live in Rome and like trains.",
      "They talked about trains to Rome.",
      "lives in Rome",
    ]);
  });

  it("draws the graph, and handles a click on a node", async () => {
    const { page, problems } = await fixture.open(ROME, { agent: "alice" });
    const canvas = page.locator("canvas");
    await button(page, "Italy").waitFor();
    expect(await canvas.getAttribute("aria-hidden")).toBe("true");
    await expect.poll(() => page.evaluate(COLOR_COUNT), POLL).toBeGreaterThan(3);
    await canvas.click({ position: await pixelOf(page, "Italy") });
    await page.getByRole("heading", { name: "Neighbours of Italy" }).waitFor();
    expect(problems).toEqual([]);
  });

  it("shows at most 200 nodes, and reports more", async () => {
    const bob = new KnowledgeGraph(fixture.alice.forAgent("bob"));
    await bob.add(
      Array.from({ length: 250 }, (_, n) => ({ subject: "hub", predicate: "has", object: `spoke ${n}` })),
    );
    const { page, problems } = await fixture.open("#/graph?tier=episodic&namespace=graph&name=hub", {
      agent: "bob",
    });
    await page.getByText("Not all neighbours are shown.").waitFor();
    expect(await nodes(page).count()).toBe(200);
    expect(problems).toEqual([]);
  });

  it("explains an empty graph", async () => {
    const { page } = await fixture.open("#/graph", { agent: "eve" });
    await page.getByText("This agent has no graph").waitFor();
    const { page: gone } = await fixture.open(ROME.replace("Rome", "Atlantis"), { agent: "alice" });
    await gone.getByRole("alert").filter({ hasText: "no triple of this graph has this name" }).waitFor();
  });

  it("is accessible in light and dark, on a phone", async () => {
    await fixture.expectAccessible(ROME, "alice", (page) => button(page, "Italy").waitFor());
  });
});

/** Counts the colors of the canvas, up to ten. */
const COLOR_COUNT = `(() => {
  const { width, height } = document.querySelector("canvas");
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(document.querySelector("canvas"), 0, 0);
  const { data } = copy.getImageData(0, 0, width, height);
  const colors = new Set();
  for (let at = 0; at < data.length && colors.size < 10; at += 4) colors.add(data.slice(at, at + 4).join());
  return colors.size;
})()`;
