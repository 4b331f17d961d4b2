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

/** Clients that support elicitation. */
const ASKED = [
  { transport: "stdio", revision: "2026-07-28" },
  { transport: "http", revision: "2026-07-28" },
  { transport: "stdio", revision: "2025-11-25" },
  { transport: "stdio", revision: "former" },
] as const;

describe.each(ASKED)(
  "a forget without keys from a client of $revision over $transport",
  ({ transport, revision }) => {
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

    it("asks the user, and deletes nothing without consent, even with `confirm`", async () => {
      const { structured, isError } = await client.call("memory_forget", { tags: ["draft"], confirm: true });
      expect([isError, structured]).toEqual([
        false,
        { forgotten: 0, dry_run: false, note: "The user did not agree. Nothing was deleted." },
      ]);
      expect(questions).toEqual([
        `2 memories with the tag draft in all tiers, including the shared one, of the namespace ${namespace} would be deleted permanently.`,
      ]);
      expect(await totalOf(client)).toBe(3);
    });

    it("deletes only the memories that the user agreed to", async () => {
      agrees = true;
      const { structured } = await client.call("memory_forget", { tags: ["draft"] });
      expect(structured).toEqual({ forgotten: 2, dry_run: false });
      expect(await totalOf(client)).toBe(1);
    });

    it("does not ask for an empty selection or a dry run", async () => {
      const asked = questions.length;
      expect((await client.call("memory_forget", { tags: ["draft"] })).structured).toMatchObject({
        forgotten: 0,
      });
      const counted = await client.call("memory_forget", { all: true, dry_run: true });
      expect(counted.structured).toEqual({ forgotten: 1, dry_run: true });
      expect(questions).toHaveLength(asked);
    });
  },
);

/** Clients without elicitation, and clients over HTTP before 2026 with unknown capabilities. */
const UNASKED = [
  { transport: "stdio", revision: "2026-07-28", can: false },
  { transport: "stdio", revision: "former", can: false },
  { transport: "http", revision: "former", can: true },
  { transport: "http", revision: "2025-11-25", can: true },
] as const;

it.each(UNASKED)(
  "requires `confirm` from $revision over $transport (elicitation: $can)",
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

it("forgets a URI only in its tier", async () => {
  const client = await fixture.client("stdio", "former", ["--namespace", "tiers"]);
  await client.call("memory_remember", { key: "a", value: 1, tier: "working" });
  const { structured } = await client.call("memory_remember", { key: "a", value: 2, tier: "episodic" });
  const keys = [structured!.uri];
  expect((await client.call("memory_forget", { keys })).structured).toMatchObject({ forgotten: 1 });
  expect((await client.call("memory_recall", { key: "a" })).structured).toMatchObject({ value: 1 });
});
