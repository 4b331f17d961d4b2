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
    await page.getByRole("heading", { level: 1, name: "Live" }).waitFor();
    expect(await page.title()).toBe("Live - membus");
    expect(problems).toEqual([]);
  });

  it("is operated by keyboard, and announces views", async () => {
    const { page } = await fixture.open("");
    await page.getByRole("heading", { level: 1, name: "Live" }).waitFor();
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

  it("remembers the tenant and agent for this tab", async () => {
    const { page } = await fixture.open("");
    await page.getByLabel("Agent", { exact: true }).fill("bob");
    await page.getByRole("button", { name: "Show" }).click();
    await page.locator("main[data-agent=bob]").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Show" }).waitFor();
    expect(await page.getByLabel("Agent", { exact: true }).inputValue()).toBe("bob");
  });

  it("removes the token from its address, and needs it only once", async () => {
    const sha256 = createHash("sha256").update("open sesame").digest("hex");
    const tokens = [{ sha256, tenant: "acme", agent: "alice" }];
    const { url } = await fixture.gateways.gateway({ tokens });
    const { page } = await fixture.open("#token=open%20sesame", { url });
    await page.getByRole("heading", { level: 1, name: "Live" }).waitFor();
    expect(page.url()).toBe(`${url}/`);
    expect(await page.getByLabel("Agent", { exact: true }).inputValue()).toBe("alice");
    expect(await page.getByRole("button", { name: "Show" }).count()).toBe(0);
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Live" }).waitFor();
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
    await page.getByRole("heading", { level: 1, name: "Live" }).waitFor();
  });
});
