import { withBudget } from "@membus/agentic";
import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutText } from "../src/inspector/entry-brief.js";
import { InspectedGateway } from "./inspected-gateway.js";

const fixture = new InspectedGateway();
beforeAll(() => fixture.open());
afterAll(() => fixture.stop());

async function ask(path: string, params: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ tenant: "default", agent: "alice", ...params });
  const response = await fetch(`${fixture.url}/inspector/${path}?${query}`);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the inspector API", () => {
  it("reads the memory of the chosen agent and session", async () => {
    await fixture.alice.forSession("s1").store({ key: "step", content: "third", tier: "working" });
    const names = async (params: Readonly<Record<string, string>>) => {
      const { body } = await ask("memories", { namespace: "default", tier: "working", ...params });
      return (body.entries as { key: { name: string } }[]).map(({ key }) => key.name);
    };
    expect(await names({ session: "s1" })).toEqual(["step"]);
    expect(await names({})).toEqual([]);
    expect(await names({ session: "s1", agent: "bob" })).toEqual([]);
  });

  it("lists the model budgets of the chosen agent", async () => {
    const usage = { inputTokens: 10, outputTokens: 20 };
    const reply = { text: "ok", toolCalls: [], finishReason: "stop", usage } as const;
    const prices = { inputPrice: 1, outputPrice: 2 };
    const model = withBudget({ complete: async () => reply }, fixture.alice, { tokens: 10_000, ...prices });
    await model.complete({ messages: [{ role: "user", content: "Hello" }] });
    const { body } = await ask("budgets");
    expect(body.budgets).toMatchObject([
      { scope: "agent", per: "day", tokens: 30, tokensMax: 10_000, usd: expect.closeTo(0.00005), calls: 1 },
    ]);
    expect((await ask("budgets", { agent: "bob" })).body).toEqual({ budgets: [] });
  });

  it("reads the shared tier without an agent", async () => {
    await fixture.alice.store({ key: "shared", content: "for all", tier: "semantic" });
    const { body } = await ask("memories", { agent: "", namespace: "default", tier: "semantic" });
    expect(body).toMatchObject({ entries: [{ key: { name: "shared" }, author: "alice" }], total: 1 });
  });

  it("counts entries by namespace and tag", async () => {
    const tagged = { content: 1, tier: "episodic" as const, tags: ["t1", "t2"] };
    await fixture.alice.inNamespace("counted/deep").store([
      { key: "a", ...tagged },
      { key: "b", ...tagged, tags: ["t1"] },
    ]);
    const { body } = await ask("namespaces", { tier: "episodic" });
    expect(body.items).toContainEqual(expect.objectContaining({ value: "counted/deep", count: 2 }));
    const tags = await ask("tags", { namespace: "counted/**" });
    expect(tags.body.items).toMatchObject([
      { value: "t1", count: 2 },
      { value: "t2", count: 1 },
    ]);
    const found = await ask("memories", { namespace: "counted/**", tags: '["t1","t2"]' });
    expect(found.body).toMatchObject({ total: 1, entries: [{ key: { name: "a" } }] });
  });

  it("returns no score without a query", async () => {
    const { body } = await ask("memories", { namespace: "counted/**", limit: "1" });
    expect((body.entries as object[])[0]).not.toHaveProperty("score");
    expect(body.cursor).toEqual(expect.any(String));
  });

  it("returns when a fact is valid, and the facts before and after it", async () => {
    const about = fixture.alice.inNamespace("about/user:ada");
    const fact = (id: string, metadata: object) => ({
      key: { fact: id },
      content: { text: `Ada drinks ${id}` },
      tier: "episodic" as const,
      metadata: { kind: "fact", about: "user:ada", trust: "user", ...metadata },
    });
    const replacedBy = (id: string) => ({ valid_until: 200, superseded_by: keyHash({ fact: id }) });
    await about.store([
      fact("tea", { valid_from: 100, ...replacedBy("coffee") }),
      fact("coffee", { valid_from: 200 }),
      fact("milk", { valid_from: 100, ...replacedBy("juice") }),
    ]);
    const validity = async (id: string) => {
      const key = keyHash({ fact: id });
      return (await ask("memory", { tier: "episodic", namespace: "about/user:ada", key })).body.validity;
    };
    expect(await validity("tea")).toMatchObject({
      from: 100,
      until: 200,
      superseded: true,
      replaced_by: [{ text: "Ada drinks coffee" }],
      replaces: [],
    });
    expect(await validity("coffee")).toMatchObject({
      from: 200,
      superseded: false,
      replaced_by: [],
      replaces: [{ text: "Ada drinks tea", superseded: true, valid_until: 200 }],
    });
    expect(await validity("milk")).toMatchObject({ superseded: true, replaced_by: [] });
  });

  it("returns the texts of existing entries", async () => {
    const { receipts } = await fixture.alice.store({ key: "told", content: "a text", tier: "episodic" });
    const [{ key_hash, revision } = { key_hash: "", revision: 0 }] = receipts;
    const keys = [key_hash, "0".repeat(64)].join(",");
    const { body } = await ask("texts", { tier: "episodic", namespace: "default", keys });
    expect(body.entries).toMatchObject([{ key_hash, revision, text: "a text" }]);
    expect((body.entries as object[]).length).toBe(1);
  });

  it("runs a retrieve with the fields of the protocol", async () => {
    const request = { namespace: "counted/**", tags: ["t2"], limit: 1 };
    const { body } = await ask("retrieve", { request: JSON.stringify(request) });
    const { entries, total } = await fixture.alice.retrieve({ ...request });
    expect(body).toMatchObject({ total: 1, entries: [{ key_hash: entries[0]!.key_hash }] });
    expect(total).toBe(1);
  });

  it.each([
    ["retrieve", { request: "[]" }, 400, "request: must be a JSON object"],
    ["retrieve", { request: '{"limit":101}' }, 400, "limit: must be at most 100"],
    ["memories", {}, 400, "namespace: is required"],
    ["memories", { namespace: "default", limit: "101" }, 400, "limit: must be an integer of 1..100"],
    ["memories", { namespace: "default", tags: "t1" }, 400, "tags: must be a JSON list of strings"],
    ["memories", { namespace: "default", since: "soon" }, 400, "since: must be Unix seconds"],
    ["texts", { namespace: "default", keys: Array(51).fill("0").join(",") }, 413, "keys: at most 50"],
    ["memory", { namespace: "default", key: "0".repeat(64) }, 404, "the entry does not exist"],
  ])("%s with %j is rejected", async (path, params, status, message) => {
    expect(await ask(path, params)).toMatchObject({ status, body: { error: { message } } });
  });

  it("passes on errors of the bus", async () => {
    const { status, body } = await ask("memories", { namespace: "a//b" });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: { code: "schema_violation", message: expect.stringContaining("namespace") },
    });
  });

  it("cuts a text between characters", () => {
    expect(cutText("abc", 3)).toBe("abc");
    expect(cutText("ab\u{1f600}cd", 4)).toBe("ab\ufffd…");
  });
});
