import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("an inspector that may edit (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(() => fixture.start({ inspectorEdit: true }));
  afterAll(() => fixture.stop());

  const open = async (key: string) => {
    const [entry] = (await fixture.alice.retrieve({ keys: [key], tier: "episodic" })).entries;
    const hash = `#/memories?entry=${entry!.key_hash}&at=episodic default`;
    const opened = await fixture.open(hash, { agent: "alice" });
    await opened.page.getByRole("button", { name: "Forget…" }).waitFor();
    return opened;
  };
  const contentOf = (key: string) => fixture.alice.recall(key, "gone", { tier: "episodic" });

  it("stores the edited entry", async () => {
    await fixture.alice.store({ key: "note", content: { a: 1 }, tier: "episodic", tags: ["old"] });
    const { page, problems } = await open("note");
    await page.getByLabel("Content").fill('{"a": 2}');
    await page.getByLabel("Tags, one").fill("new\nand, newer");
    await page.getByRole("button", { name: "Store" }).click();
    await page.locator("pre").getByText('"a": 2').waitFor();
    const [entry] = (await fixture.alice.retrieve({ keys: ["note"] })).entries;
    expect(entry).toMatchObject({ content: { a: 2 }, tags: ["new", "and, newer"] });
    expect(problems).toEqual([]);
  });

  it("does not change fields that were not edited", async () => {
    const entry = { key: "dos", content: "a\r\nb", tier: "episodic" as const, tags: [" x ", "a\rb"] };
    await fixture.alice.store(entry);
    const { page } = await open("dos");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("No changes to store.").waitFor();
    const [kept] = (await fixture.alice.retrieve({ keys: ["dos"] })).entries;
    expect(kept).toMatchObject({ content: "a\r\nb", tags: [" x ", "a\rb"] });
  });

  it("does not overwrite changes of other writers", async () => {
    await fixture.alice.store({ key: "plan", content: "first", tier: "episodic" });
    const { page } = await open("plan");
    let n = 0;
    const isOutdated = async () => {
      await fixture.alice.store({ key: "plan", content: `theirs ${n++}`, tier: "episodic" });
      return page.getByText("This entry has changed.").isVisible();
    };
    // The page reads the entry again when its stream of changes opens, and stays as it is from then on.
    await expect.poll(isOutdated).toBe(true);
    await page.getByLabel("Content").fill("mine");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByRole("alert").waitFor();
    expect(await contentOf("plan")).toBe(`theirs ${n - 1}`);
  });

  it("reports invalid JSON", async () => {
    await fixture.alice.store({ key: "json", content: [1], tier: "episodic" });
    const { page } = await open("json");
    await page.getByLabel("Content").fill("[1");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByRole("alert").getByText("The content is not valid JSON").waitFor();
  });

  it("forgets after a preview, or cancels", async () => {
    await fixture.alice.store({ key: "cause", content: "the cause", tier: "episodic" });
    const [cause] = (await fixture.alice.retrieve({ keys: ["cause"] })).entries;
    await fixture.alice.store({
      key: "effect",
      content: "the effect",
      tier: "episodic",
      sources: [cause!.key_hash],
    });
    const { page, problems } = await open("cause");
    await page.locator("[data-entry=effect]").waitFor();
    await page.getByRole("button", { name: "Forget…" }).click();
    await page.getByRole("heading", { name: "1 entry will be forgotten" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Forget…");
    await page.getByLabel("also forget derived entries").check();
    await page.getByRole("button", { name: "Forget…" }).click();
    const victims = page.getByRole("region", { name: "2 entries will be forgotten" });
    await victims.waitFor();
    expect(await victims.locator("li").allInnerTexts()).toEqual([
      "the cause episodic · default",
      "the effect episodic · default, derived",
    ]);
    expect(await contentOf("effect")).toBe("the effect");
    await victims.getByRole("button", { name: "Forget permanently" }).click();
    await page.getByText("Forgotten: 2 entries.").waitFor();
    expect([await contentOf("cause"), await contentOf("effect")]).toEqual(["gone", "gone"]);
    await page.locator("[data-entry=cause]").waitFor({ state: "detached" });
    expect(await page.locator("[data-entry=effect]").count()).toBe(0);
    expect(await page.getByRole("complementary").getByRole("button").count()).toBe(0);
    expect(await page.locator("article").count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([1_440, 390])("shows the button that forgets without scrolling at %i pixels", async (width) => {
    const content = "a long line\n".repeat(200);
    await fixture.alice.store({ key: "long", content, tier: "episodic" });
    const [entry] = (await fixture.alice.retrieve({ keys: ["long"], tier: "episodic" })).entries;
    const hash = `#/memories?entry=${entry!.key_hash}&at=episodic default`;
    const { page } = await fixture.open(hash, { agent: "alice", viewport: { width, height: 844 } });
    const button = page.getByRole("button", { name: "Forget…" });
    await button.waitFor();
    const { y, height } = (await button.boundingBox())!;
    expect([y > 0, y + height <= 844]).toEqual([true, true]);
    await button.click();
    const forget = page.getByRole("button", { name: "Forget permanently" });
    await forget.waitFor();
    expect((await forget.boundingBox())!.y).toBeLessThan(844);
    expect(await page.evaluate("scrollY")).toBe(0);
  });

  it("offers no actions while another entry loads", async () => {
    await fixture.alice.store([
      { key: "one", content: "the first", tier: "episodic" },
      { key: "two", content: "the second", tier: "episodic" },
    ]);
    const { page } = await open("one");
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route("**/inspector/memory?*", async (route) => {
      await released;
      await route.continue();
    });
    await page.locator("[data-entry=two] a").click();
    const panel = page.getByRole("complementary", { name: "Entry" });
    await panel.getByText("Loading the entry").waitFor();
    expect(await panel.getByRole("button").count()).toBe(0);
    expect(await panel.getByText("the first").count()).toBe(0);
    release();
    await panel.locator("pre").getByText("the second").waitFor();
    await panel.getByRole("button", { name: "Store" }).waitFor();
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.alice.store({ key: "shown", content: "x".repeat(500), tier: "episodic" });
    const [entry] = (await fixture.alice.retrieve({ keys: ["shown"] })).entries;
    await fixture.expectAccessible(
      `#/memories?entry=${entry!.key_hash}&at=episodic default`,
      "alice",
      async (page) => {
        await page.getByRole("button", { name: "Forget…" }).click();
        await page.getByRole("button", { name: "Forget permanently" }).waitFor();
      },
    );
  });
});
