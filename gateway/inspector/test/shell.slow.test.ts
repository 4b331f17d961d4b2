import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the page (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(() => fixture.start());
  afterAll(() => fixture.stop());

  it("has no errors, and calls only its gateway", async () => {
    const { page, problems } = await fixture.open("", { agent: "alice" });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(await page.title()).toBe("Overview - membus");
    expect(problems).toEqual([]);
  });

  it("is operated by keyboard, and announces views", async () => {
    const { page } = await fixture.open("");
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    await page.getByRole("link", { name: "Memories" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Memories");
    expect(await page.getByRole("link", { name: "Memories" }).getAttribute("aria-current")).toBe("page");
  });

  it("keeps the tenant and the agent in the address of every view", async () => {
    const { page } = await fixture.open("#/live");
    await page.getByRole("button", { name: "Agent" }).click();
    await page.getByLabel("Find or type an agent").fill("bob");
    await page.keyboard.press("Enter");
    await page.locator("main[data-agent=bob]").waitFor();
    expect(page.url()).toBe(`${fixture.url}/#/live?tenant=default&agent=bob`);
    await page.getByRole("link", { name: "Memories" }).click();
    await page.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
    expect(page.url()).toBe(`${fixture.url}/#/memories?tenant=default&agent=bob`);
    const { page: copy } = await fixture.open(new URL(page.url()).hash);
    await copy.locator("main[data-agent=bob]").waitFor();
    await copy.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.locator("main[data-agent='']").waitFor();
    await page.goForward();
    await page.locator("main[data-agent=bob]").waitFor();
  });

  it("offers the agents that have entries, with their number", async () => {
    await fixture.alice.store([
      { key: "a", content: "one", tier: "episodic" },
      { key: "b", content: "two", tier: "semantic" },
    ]);
    await fixture.alice.forAgent("carol").store({ key: "c", content: "three", tier: "episodic" });
    const { page } = await fixture.open("");
    await page.getByRole("button", { name: "Agent" }).click();
    const choices = page.locator(".choices li");
    await choices.nth(2).waitFor();
    expect((await choices.allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
      ["All", "agents"],
      ["alice", "2"],
      ["carol", "1"],
    ]);
    await page.getByLabel("Find or type an agent").fill("car");
    expect(await choices.allInnerTexts()).toHaveLength(1);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator("main[data-agent=carol]").waitFor();
    expect(await page.locator(".popup").isVisible()).toBe(false);
  });

  it("closes the list of agents with Escape, and returns the focus", async () => {
    const { page } = await fixture.open("");
    await page.getByRole("button", { name: "Agent" }).click();
    await page.getByLabel("Find or type an agent").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.locator(".popup").isVisible()).toBe(false);
    expect(await page.evaluate("document.activeElement.className")).toBe("picked");
  });

  it("shows every view and the whole words of buttons on a phone", async () => {
    const { page } = await fixture.open("", { viewport: { width: 390, height: 844 } });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    const ends = await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => link.getBoundingClientRect().right));
    expect(ends).toHaveLength(9);
    expect(Math.max(...ends)).toBeLessThanOrEqual(390);
    await page.getByRole("button", { name: "Agent" }).click();
    const show = page.getByRole("button", { name: "Show" });
    await show.waitFor();
    // One line of text has a height of 21 pixels.
    expect((await show.boundingBox())!.height).toBeLessThan(42);
  });

  it("removes the token from its address, and needs it only once", async () => {
    const sha256 = createHash("sha256").update("open sesame").digest("hex");
    const tokens = [{ sha256, tenant: "acme", agent: "alice" }];
    const { url } = await fixture.gateways.gateway({ tokens });
    const { page } = await fixture.open("#token=open%20sesame", { url });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(page.url()).toBe(`${url}/`);
    expect(await page.locator("header .value").textContent()).toBe("alice");
    expect(await page.getByRole("button", { name: "Agent" }).count()).toBe(0);
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });

  it("asks for a token if one is required", async () => {
    const sha256 = createHash("sha256").update("open sesame").digest("hex");
    const { url } = await fixture.gateways.gateway({ tokens: [{ sha256, tenant: "acme" }] });
    const { page } = await fixture.open("#token=100%", { url });
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill("open barley");
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toBe("a token of the gateway is needed");
    await page.getByLabel("Token").fill("open sesame");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  });
});
