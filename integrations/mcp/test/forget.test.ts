import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ConnectedClient } from "./mcp-clients.js";
import { McpFixture } from "./mcp-fixture.js";

const fixture = new McpFixture();
beforeAll(() => fixture.start());
afterAll(() => fixture.stop());

const THREE = [
  { content: "one", tags: ["draft"] },
  { content: "two", tags: ["draft"] },
  { content: "three", tags: ["kept"] },
];

async function totalOf(client: ConnectedClient): Promise<unknown> {
  return (await client.call("memory_retrieve")).structured!.total;
}

/** Clients that can be asked, and ours asks them. */
const ASKED = [
  { transport: "stdio", revision: "2026-07-28" },
  { transport: "http", revision: "2026-07-28" },
  { transport: "stdio", revision: "2025-11-25" },
  { transport: "stdio", revision: "former" },
] as const;

describe.each(ASKED)("a wide forget of a client of $revision over $transport", ({ transport, revision }) => {
  const questions: string[] = [];
  let agrees = false;
  let client: ConnectedClient;
  const namespace = `asked/${transport}-${revision}`;
  beforeAll(async () => {
    client = await fixture.client(transport, revision, ["--namespace", namespace], {
      agree: (question) => {
        questions.push(question);
        return agrees;
      },
    });
    await client.call("memory_store", { memories: THREE });
  });

  it("asks the user, and forgets nothing where they do not agree, whatever the model says", async () => {
    const { structured, isError } = await client.call("memory_forget", { tags: ["draft"], confirm: true });
    expect([isError, structured]).toEqual([
      false,
      { forgotten: 0, dry_run: false, note: "The user did not agree: nothing was forgotten." },
    ]);
    expect(questions).toEqual([
      `2 memories with the tag draft in all tiers, the shared one too, of the namespace ${namespace} would be forgotten for good.`,
    ]);
    expect(await totalOf(client)).toBe(3);
  });

  it("forgets what they agree to, and no more", async () => {
    agrees = true;
    const { structured } = await client.call("memory_forget", { tags: ["draft"] });
    expect(structured).toEqual({ forgotten: 2, dry_run: false });
    expect(await totalOf(client)).toBe(1);
  });

  it("asks nothing where there is nothing to forget, or it is only counted", async () => {
    const asked = questions.length;
    expect((await client.call("memory_forget", { tags: ["draft"] })).structured).toMatchObject({
      forgotten: 0,
    });
    const counted = await client.call("memory_forget", { all: true, dry_run: true });
    expect(counted.structured).toEqual({ forgotten: 1, dry_run: true });
    expect(questions).toHaveLength(asked);
  });
});

/** Nobody can be asked: they do not say that they can, or, over HTTP before 2026, cannot be told apart. */
const UNASKED = [
  { transport: "stdio", revision: "2026-07-28", can: false },
  { transport: "stdio", revision: "former", can: false },
  { transport: "http", revision: "former", can: true },
  { transport: "http", revision: "2025-11-25", can: true },
] as const;

it.each(UNASKED)(
  "wants `confirm` of $revision over $transport (asks: $can)",
  async ({ transport, revision, can }) => {
    const agree = () => {
      throw new Error("asked");
    };
    const flags = ["--namespace", `unasked/${transport}-${revision}`];
    const client = await fixture.client(transport, revision, flags, { agree: can ? agree : undefined });
    await client.call("memory_store", { memories: THREE });
    const refused = await client.call("memory_forget", { tags: ["kept", "draft"], tier: "episodic" });
    expect(refused.isError).toBe(true);
    expect(refused.text).toMatch(
      /^3 memories with the tag kept or draft in the tier episodic .* `confirm: true`\.$/,
    );
    expect(await totalOf(client)).toBe(3);
    const which = await client.call("memory_forget", { confirm: true });
    expect(which).toMatchObject({ isError: true, text: expect.stringContaining("`all: true`") });
    const { structured } = await client.call("memory_forget", { all: true, confirm: true });
    expect(structured).toEqual({ forgotten: 3, dry_run: false });
  },
);

it("forgets a URI in its own tier alone", async () => {
  const client = await fixture.client("stdio", "former", ["--namespace", "tiers"]);
  await client.call("memory_remember", { key: "a", value: 1, tier: "working" });
  const { structured } = await client.call("memory_remember", { key: "a", value: 2, tier: "episodic" });
  const keys = [structured!.uri];
  expect((await client.call("memory_forget", { keys })).structured).toMatchObject({ forgotten: 1 });
  expect((await client.call("memory_recall", { key: "a" })).structured).toMatchObject({ value: 1 });
});
