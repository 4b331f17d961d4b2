import {
  forgetUser,
  KnowledgeGraph,
  LongTermMemory,
  messageSources,
  openConversation,
} from "@membus/agentic";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHROMIUM } from "./chromium.js";
import { InspectorFixture } from "./inspector-fixture.js";

type Fields = Readonly<Record<string, unknown>>;

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
      (await page.locator(`[data-kind=${name}] li > a`).allTextContents()).toSorted();
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

  it("shows current facts before those that no longer hold", async () => {
    const facts = new LongTermMemory(fixture.alice.forAgent("guide"), { subject: "user:ada" });
    const { outcomes } = await facts.record("sits at the window", { infer: false });
    await facts.record("drinks tea", { infer: false });
    await facts.update(outcomes[0]!.id!, { text: "sits on the aisle" });
    await facts.close();
    const { page, problems } = await texts("#/users?user=ada", "guide");
    const textsIn = async (state: string) =>
      (await page.locator(`[data-state=${state}] li > a`).allTextContents()).toSorted();
    expect(await textsIn("current")).toEqual(["drinks tea", "sits on the aisle"]);
    expect(await textsIn("earlier")).toEqual(["sits at the window"]);
    expect(await page.locator("[data-state=earlier] .quiet").textContent()).toMatch(/^since .*, until /s);
    expect(await page.getByRole("heading", { name: "Facts" }).textContent()).toBe(
      "Facts 3 facts, 1 outdated",
    );
    expect(problems).toEqual([]);
  });

  it("shows since when and why something is known", async () => {
    const memory = fixture.alice.forAgent("clerk");
    const talk = await openConversation(memory, { id: "user:ada" });
    await talk.add({ id: "m1", message: { role: "user", content: "I moved to Lisbon" } });
    const facts = new LongTermMemory(memory, { subject: "user:ada" });
    const record = (text: string, ...ids: readonly string[]) =>
      facts.record(text, { infer: false, at: 1_600_000_000, sources: messageSources("user:ada", ids) });
    await record("lives in Lisbon", "m1", "m2");
    await record("drinks tea", "m3");
    await record("likes trains", "m3", "m4", "m1");
    await facts.record("reads maps", { infer: false });
    await facts.close();
    const { page, problems } = await texts("#/users?user=ada", "clerk");
    const lines = await page.locator("[data-kind=fact] li .quiet").allTextContents();
    const origins = lines.map((line) => line.replace(/\s+/g, " ").split(" · ").slice(0, 2));
    expect(origins).toEqual([
      [expect.stringMatching(/^since /), "recorded by clerk"],
      ["since Sep 13, 12:26 PM", "recorded by clerk, its first sources cannot be read"],
      ["since Sep 13, 12:26 PM", "recorded by clerk, its source no longer exists"],
      ["since Sep 13, 12:26 PM", "because of I moved to Lisbon and 1 more"],
    ]);
    await page.getByRole("link", { name: "I moved to Lisbon" }).first().click();
    await page.getByRole("complementary", { name: "Entry" }).getByText("lives in Lisbon").waitFor();
    expect(problems).toEqual([]);
  });

  it("finds and forgets records under the name in another case, and under other names", async () => {
    const memory = fixture.alice.forAgent("scribe");
    await memory.inNamespace("about/user:ada").store({ key: "n", content: "note", tier: "episodic" });
    await memory.inNamespace("about/user:Bob").store({ key: "n", content: "another", tier: "episodic" });
    await memory.inNamespace("about/user:bob").store({ key: "n", content: "note", tier: "episodic" });
    await new KnowledgeGraph(memory).add([
      { subject: "Ada", predicate: "knows", object: "Grace" },
      { subject: "Countess", predicate: "likes", object: "Byron" },
      { subject: "Bob", predicate: "likes", object: "tea" },
    ]);
    const { page, problems } = await fixture.open("#/users?user=bob", { agent: "scribe" });
    await page.locator("[data-kind=other]").waitFor();
    expect(await page.locator("[data-kind=triple]").count()).toBe(0);
    await page.goto(`${fixture.url}/#/users?user=ada&agent=scribe`);
    await page.getByRole("link", { name: "Ada knows Grace" }).waitFor();
    await page.getByText("Also found as Ada, ADA").click();
    await page.getByLabel("Other names").fill("Countess, Lady Lovelace");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Countess likes Byron" }).waitFor();
    await page.getByRole("button", { name: "Forget ada…" }).click();
    await page.getByRole("heading", { name: "3 entries will be forgotten" }).waitFor();
    await page.getByRole("button", { name: "Forget permanently" }).click();
    await page.getByText("Forgotten: 3 entries.").waitFor();
    const left = await memory.retrieve({ namespace: "graph", tier: "episodic" });
    expect(left.entries.map(({ metadata }) => metadata?.subject)).toEqual(["Bob"]);
    expect(problems).toEqual([]);
  });

  it("lists the users of all agents, and the agents, without an agent", async () => {
    const { page, problems } = await fixture.open("#/users");
    const row = page.getByRole("row", { name: "ada concierge 3" });
    await row.getByRole("link", { name: "ada" }).click();
    await page.getByRole("heading", { level: 2, name: "ada" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/users?agent=concierge&user=ada");
    await page.goBack();
    await page.getByRole("list", { name: "Agents" }).getByRole("link", { name: "concierge" }).click();
    // Until the agent's users are loaded, the page shows the users of all agents.
    await expect.poll(() => page.locator("[data-user=ada]").count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it("shows that users are missing from the list of all agents", async () => {
    const { page } = await fixture.open("");
    const listed = page.getByRole("row", { name: /^ada concierge/ });
    const reply = async (path: RegExp, status: number, change: (json: Fields) => Fields) => {
      await page.unrouteAll();
      await page.route(path, async (route) => {
        const response = await route.fetch();
        await route.fulfill({ status, json: change(await response.json()) });
      });
      await page.goto(`${fixture.url}/#/overview`);
      await page.locator("[data-tile=Entries]").waitFor();
      await page.goto(`${fixture.url}/#/users`);
    };
    const notice = page.getByText("Not all users are listed.");
    await reply(/users\?.*agent=porter/, 200, (json) => ({ ...json, truncated: true }));
    await notice.waitFor();
    await listed.waitFor();
    await reply(/users\?.*agent=porter/, 503, () => ({ error: "too many requests" }));
    await notice.waitFor();
    await listed.waitFor();
    const more = Array.from({ length: 20 }, (_, n) => ({
      name: `a${n}`,
      own: null,
      shared: null,
      newest: null,
    }));
    await reply(/inspector\/agents/, 200, ({ agents }) => ({ agents: [...(agents as object[]), ...more] }));
    await notice.waitFor();
    await listed.waitFor();
    await reply(/users\?.*agent=porter/, 401, () => ({ error: "a token is needed" }));
    await page.getByRole("alert").getByText("a token is needed").waitFor();
    expect(await notice.count()).toBe(0);
  });

  it("forgets a user after a dry run", async () => {
    const porter = fixture.alice.forAgent("porter");
    const { deleted } = await forgetUser(porter, "ada", { dryRun: true });
    const { page, problems } = await texts("#/users?user=ada", "porter");
    await page.getByRole("button", { name: "Forget ada…" }).click();
    await page.getByRole("heading", { name: `${deleted} entries will be forgotten` }).waitFor();
    expect(deleted).toBe(4);
    const listed = page.getByRole("list", { name: "Forgotten in episodic" });
    expect((await listed.locator("a").allTextContents()).toSorted()).toEqual([
      "Good morning",
      "ada likes tea",
      "drinks <b>tea</b>",
      "lives in Lisbon",
    ]);
    expect((await listed.locator(".quiet").allTextContents()).toSorted()).toEqual([
      "fact · about/user:ada",
      "fact · about/user:ada",
      "message · conversations",
      "triple · graph",
    ]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Forget ada…" }).click();
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
    await page.getByText("To edit and forget, run").waitFor();
    expect(await page.getByRole("button", { name: "Forget ada…" }).count()).toBe(0);
    const response = await fetch(`${url}/inspector/user/forget?tenant=default&agent=concierge`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user: "ada" }),
    });
    expect(response.status).toBe(403);
  });

  it("is accessible, and fits a phone", async () => {
    await fixture.expectAccessible("#/users?tenant=default", "", (page) =>
      page.locator("[data-user]").first().waitFor(),
    );
    await fixture.expectAccessible("#/users", "concierge", (page) =>
      page.locator("[data-user]").first().waitFor(),
    );
    await fixture.expectAccessible("#/users?user=ada", "concierge", async (page) => {
      await page.getByRole("button", { name: "Forget ada…" }).click();
      await page.getByRole("button", { name: "Forget permanently" }).waitFor();
    });
  });
});
