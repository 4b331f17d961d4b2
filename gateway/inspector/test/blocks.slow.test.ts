import { Blocks, MemoryFiles } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view blocks and files (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    await new Blocks(fixture.alice).create("human", { value: "Name: <b>Ada</b>", readOnly: true });
    await new MemoryFiles(fixture.alice).write("/trips/rome.md", "# Rome\n");
  });
  afterAll(() => fixture.stop());

  it("shows blocks with their value, and files that open as entries", async () => {
    const { page, problems } = await fixture.open("#/blocks", { agent: "alice" });
    const block = page.locator("[data-block=human]");
    expect(await block.locator("pre").textContent()).toBe("Name: <b>Ada</b>");
    await block.getByText("read-only").waitFor();
    await block.getByText("16 of 20,000 characters").waitFor();
    await page.getByText("files/trips").waitFor();
    await page.getByRole("link", { name: "trips/rome.md" }).click();
    const entry = page.getByRole("complementary", { name: "Entry" });
    await entry.locator("pre").getByText("# Rome").waitFor();
    expect(problems).toEqual([]);
  });

  it("explains an empty view, and shows a choice of agents", async () => {
    const { page } = await fixture.open("#/blocks", { agent: "bob" });
    await page.getByText("This agent has no blocks.").waitFor();
    await page.getByText("This agent has no files.").waitFor();
    const { page: all } = await fixture.open("#/blocks");
    await all.getByText("Choose an agent to see its blocks and files.").waitFor();
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/blocks", "alice", async (page) => {
      await page.locator("[data-block]").waitFor();
      await page.locator("[data-file]").waitFor();
    });
  });
});
