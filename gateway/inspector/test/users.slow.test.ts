import { forgetUser, KnowledgeGraph, LongTermMemory, openConversation } from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

describe.skipIf(CHROMIUM === undefined)("the view users (where a Chromium is installed)", () => {
  const fixture = new InspectorFixture();
  const store = async (agent: string) => {
    const memory = fixture.alice.forAgent(agent);
    const facts = new LongTermMemory(memory, { subject: "user:ada" });
    await facts.record("drinks <b>tea</b>", { infer: false });
    await facts.record("lives in Lisbon", { infer: false });
    await facts.close();
    const talk = await openConversation(memory, { id: "user:ada" });
    await talk.add({ role: "user", content: "Good morning" });
    await new KnowledgeGraph(memory).add([{ subject: "ada", predicate: "likes", object: "tea" }]);
    await memory.store({ key: "x", content: "about no user", tier: "episodic" });
  };
  beforeAll(async () => {
    await fixture.start({ inspectorEdit: true });
    await store("concierge");
    await store("porter");
  });
  afterAll(() => fixture.stop());

  const texts = async (hash: string, agent: string) => {
    const { page, problems } = await fixture.open(hash, { agent });
    await page.locator("[data-kind=fact]").waitFor();
    const kind = async (name: string) =>
      (await page.locator(`[data-kind=${name}] li a`).allTextContents()).toSorted();
    return { page, problems, kind };
  };

  it("lists users, and opens one", async () => {
    const { page, problems } = await fixture.open("#/users", { agent: "concierge" });
    await page.locator("[data-user=ada]").waitFor();
    expect(await page.locator("[data-user]").count()).toBe(1);
    expect(await page.locator("[data-user=ada] td").first().textContent()).toBe("3");
    await page.getByRole("link", { name: "ada" }).click();
    await page.getByRole("heading", { level: 2, name: "ada" }).waitFor();
    expect(page.url()).toContain("user=ada");
    await page.goBack();
    await page.locator("[data-user=ada]").waitFor();
    expect(problems).toEqual([]);
  });

  it("shows everything about a user as text, and nothing else", async () => {
    const { page, problems, kind } = await texts("#/users?user=ada", "concierge");
    expect(await kind("fact")).toEqual(["drinks <b>tea</b>", "lives in Lisbon"]);
    expect(await kind("message")).toEqual(["Good morning"]);
    expect(await kind("triple")).toEqual(["ada likes tea"]);
    expect(await page.getByText("about no user").count()).toBe(0);
    await page.getByRole("link", { name: "about/user:ada" }).waitFor();
    await page.getByRole("link", { name: "user:ada", exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  it("forgets a user after a dry run", async () => {
    const porter = fixture.alice.forAgent("porter");
    const { deleted } = await forgetUser(porter, "ada", { dryRun: true });
    const { page, problems } = await texts("#/users?user=ada", "porter");
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("heading", { name: `${deleted} entries will be forgotten` }).waitFor();
    expect(deleted).toBe(4);
    expect(await page.getByRole("list", { name: "By kind" }).locator("li").allTextContents()).toEqual([
      "fact: 2",
      "message: 1",
      "triple: 1",
    ]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Forget permanently" }).click();
    await page.getByText("Forgotten: 4 entries.").waitFor();
    expect((await forgetUser(porter, "ada", { dryRun: true })).deleted).toBe(0);
    expect((await porter.retrieve({ keys: ["x"], tier: "episodic" })).total).toBe(1);
    expect(problems).toEqual([]);
  });

  it("offers no forget without --edit", async () => {
    const { url } = await fixture.gateways.gateway();
    const { page } = await fixture.open("#/users?user=ada", { agent: "concierge", url });
    await page.locator("[data-kind=fact]").waitFor();
    expect(await page.getByRole("button", { name: "Dry run" }).count()).toBe(0);
    const response = await fetch(`${url}/inspector/user/forget?tenant=default&agent=concierge`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user: "ada" }),
    });
    expect(response.status).toBe(403);
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/users", "concierge", (page) =>
      page.locator("[data-user]").first().waitFor(),
    );
    await fixture.expectAccessible("#/users?user=ada", "concierge", async (page) => {
      await page.getByRole("button", { name: "Dry run" }).click();
      await page.getByRole("button", { name: "Forget permanently" }).waitFor();
    });
  });
});
