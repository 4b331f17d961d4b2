import { openConversation } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the command palette (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    const talk = await openConversation(fixture.alice, { id: "user:grace" });
    await talk.add({ role: "user", content: "Good morning" });
  });
  afterAll(() => fixture.stop());

  const open = async () => {
    const { page, problems } = await fixture.open("", { agent: "alice" });
    await page.locator("[data-tile=Entries]").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "alice agent" }).waitFor();
    await page.getByRole("option", { name: "grace user" }).waitFor();
    return { page, problems, dialog: page.getByRole("dialog", { name: "Jump to" }) };
  };

  it("opens views and users by keyboard, names that begin with the words first", async () => {
    const { page, problems, dialog } = await open();
    await page.keyboard.type("gr");
    expect(await page.getByRole("option").allTextContents()).toEqual([
      "Graph view",
      "grace user",
      "Playground view",
      "gr search memories",
    ]);
    await page.keyboard.press("ArrowUp");
    await page.getByRole("option", { name: "gr search memories", selected: true }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "grace user", selected: true }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "grace" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/users?user=grace&agent=alice");
    expect(await dialog.count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it("searches memories for other words", async () => {
    const { page } = await open();
    await page.keyboard.type("good morning");
    await page.keyboard.press("Enter");
    await page.locator("[data-entry]").first().waitFor();
    expect(new URL(page.url()).hash).toBe("#/memories?q=good+morning&agent=alice");
  });

  it("closes with Escape, and returns the focus", async () => {
    const { page, dialog } = await open();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Jump to" }).click();
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.className")).toBe("picked jump");
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/live", "alice", async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name: "grace user" }).waitFor();
    });
  });
});
