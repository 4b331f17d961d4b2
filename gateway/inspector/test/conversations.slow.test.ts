import { openConversation } from "@membus/agentic";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TIMETABLE, tellTalk } from "../../test/sample-conversations.js";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

const TRIP = "#/conversations?id=trip";

describe.skipIf(CHROMIUM === undefined)("the view conversations (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  beforeAll(async () => {
    await fixture.start();
    await tellTalk(fixture.alice);
  });
  afterAll(() => fixture.stop());

  const rows = (page: Page) => page.locator("[data-conversation]");
  const messages = (page: Page) => page.locator("[data-message]");

  it("lists the conversations of the agent, newest first, and opens a chat", async () => {
    const { page, problems } = await fixture.open("#/conversations", { agent: "alice" });
    await rows(page).nth(1).waitFor();
    const ids = await rows(page).evaluateAll((items) => items.map((item) => item.dataset.conversation));
    expect(ids).toEqual(["weather", "trip"]);
    const trip = rows(page).nth(1);
    expect(await trip.locator(".excerpt").textContent()).toBe("assistant: The Tiber.");
    expect(await trip.locator("p").last().textContent()).toBe("trip · 6 messages · 1 summary");
    await page.getByRole("link", { name: "I live in Rome and like trains." }).click();
    await page.getByRole("heading", { level: 2, name: "I live in Rome and like trains." }).waitFor();
    expect(await page.locator(".panel-head .quiet").textContent()).toBe("trip · 6 messages");
    expect(page.url()).toContain(TRIP);
    expect(problems).toEqual([]);
  });

  it("shows each message with its calls", async () => {
    const { page, problems } = await fixture.open(TRIP, { agent: "alice" });
    await messages(page).nth(5).waitFor();
    const stored = await (await openConversation(fixture.alice, { id: "trip" })).get();
    const ids = await messages(page).evaluateAll((items) => items.map((item) => item.dataset.message));
    expect(ids).toEqual(stored.map(({ id }) => id));
    const first = messages(page).first();
    expect(await first.locator(".said").textContent()).toBe("I live in Rome and like trains.");
    expect(await first.locator(".byline").textContent()).toContain("by alice");
    const datetime = await first.locator("time").getAttribute("datetime");
    expect(Date.parse(datetime!)).toBe(Math.floor(stored[0]!.created * 1_000));
    await page.getByText("Calls timetable").click();
    expect(await page.locator(".call pre").textContent()).toBe('{"to":"Rome"}');
    expect(await messages(page).nth(2).locator(".said").textContent()).toBe(TIMETABLE);
    expect(problems).toEqual([]);
  });

  it("leads from a message of the user to the memories that it recalls", async () => {
    const { page } = await fixture.open(TRIP, { agent: "alice" });
    const recall = messages(page).getByRole("link", { name: "Recall" });
    await messages(page).nth(5).waitFor();
    expect(await recall.count()).toBe(await page.locator(".message.user").count());
    await recall.first().click();
    await page.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
    await page.getByText("lives in Rome").first().waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toContain("I live in Rome and like trains.");
  });

  it("shows a description with the time at which it was stored", async () => {
    const carol = fixture.alice.forAgent("carol");
    await openConversation(carol, { id: "brief", description: "Be brief." });
    const { page } = await fixture.open("#/conversations?id=brief", { agent: "carol" });
    await page.getByText("Be brief.").waitFor();
    const datetime = await messages(page).first().locator("time").getAttribute("datetime");
    expect(Date.now() - Date.parse(datetime!)).toBeLessThan(86_400_000);
  });

  it("shows summaries and learned entries in place", async () => {
    const { page } = await fixture.open(TRIP, { agent: "alice" });
    await messages(page).nth(5).waitFor();
    const items = page.locator(".chat > li");
    expect(await items.nth(4).getAttribute("data-summary")).toMatch(/^[0-9a-f]{64}$/);
    expect(await items.nth(4).textContent()).toContain("replaces 4 of the messages above");
    expect(await items.nth(4).textContent()).toContain("They talked about trains to Rome.");
    expect(await page.getByText("summarised", { exact: true }).count()).toBe(4);
    expect(await messages(page).nth(2).textContent()).toContain("result of timetable");
    expect(await messages(page).first().locator(".learned li").textContent()).toContain("lives in Rome");
    const together = page.locator("[data-learned]");
    expect(await together.locator("p").allTextContents()).toEqual([
      "Learned from these messages (2 up to here)",
    ]);
    expect(await together.locator("a").first().textContent()).toBe("Tiber flows through Rome");
    expect(await messages(page).nth(4).locator(".learned").count()).toBe(0);
    expect(await messages(page).nth(3).locator(".learned").count()).toBe(0);
    await messages(page).first().getByRole("link", { name: "lives in Rome", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Memories" }).waitFor();
    await page.getByText("lives in Rome").first().waitFor();
    await page.goBack();
    await messages(page).first().getByRole("link", { name: "Graph around lives in Rome" }).click();
    await page.getByRole("heading", { level: 1, name: "Graph" }).waitFor();
    await page.getByRole("button", { name: "I live in Rome and like trains.", exact: true }).waitFor();
  });

  it("pages through a long conversation", async () => {
    const long = await openConversation(fixture.alice.forAgent("bob"), { id: "long" });
    await long.add(
      Array.from({ length: 120 }, (_, n) => ({ role: "user" as const, content: `number ${n + 1}` })),
    );
    const { page } = await fixture.open("#/conversations?id=long", { agent: "bob" });
    await messages(page).getByText("number 120", { exact: true }).waitFor();
    expect(await messages(page).count()).toBe(50);
    await page.getByRole("link", { name: "Older messages" }).click();
    await messages(page).getByText("number 70", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Older messages" }).click();
    await messages(page).getByText("number 1", { exact: true }).waitFor();
    expect(await messages(page).count()).toBe(20);
    expect(await page.getByRole("link", { name: "Older messages" }).count()).toBe(0);
    await page.getByRole("link", { name: "Newest messages" }).click();
    await messages(page).getByText("number 120", { exact: true }).waitFor();
  });

  it("explains an empty list", async () => {
    const { page } = await fixture.open("#/conversations");
    await page.getByText("Choose an agent to see its conversations.").waitFor();
    await page.getByRole("list", { name: "Agents" }).getByRole("link", { name: "alice" }).click();
    await page.locator("main[data-agent=alice]").waitFor();
    await rows(page).nth(1).waitFor();
    const { page: other } = await fixture.open("#/conversations", { agent: "eve" });
    await other.getByText("This agent has no conversations.").waitFor();
  });

  it("escapes HTML in messages", async () => {
    const eve = await openConversation(fixture.alice.forAgent("mallory"), { id: "<b>x</b>" });
    await eve.add({ role: "user", content: "<img src=x onerror=alert(1)>" });
    const { page, problems } = await fixture.open("#/conversations", { agent: "mallory" });
    await page.getByRole("link", { name: "<img src=x onerror=alert(1)>" }).click();
    await page.getByRole("heading", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    await page.getByText("<b>x</b> · 1 message").waitFor();
    expect(await page.locator(".said").textContent()).toBe("<img src=x onerror=alert(1)>");
    expect(problems).toEqual([]);
  });

  it("is accessible in light and dark, on a phone", async () => {
    await fixture.expectAccessible("#/conversations", "alice", (page) => rows(page).nth(1).waitFor());
    await fixture.expectAccessible(TRIP, "alice", (page) => messages(page).nth(5).waitFor());
  });
});
