import { keyHash } from "@membus/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

interface Page {
  readonly entries: { readonly key: object; readonly content: unknown; readonly score: number }[];
  readonly total: number;
}

const FACTS = JSON.stringify([
  { key: { id: "fact1" }, content: { text: "Earth orbits the Sun" }, tier: "semantic", tags: ["astronomy"] },
  {
    key: { id: "fact2" },
    content: { text: "The invoice is due on Friday" },
    tier: "semantic",
    tags: ["office"],
  },
]);

describe("store and retrieve", () => {
  beforeAll(async () => {
    const stored = await host.json<{ receipts: { outcome: string }[] }>(["store", "-"], FACTS);
    expect(stored.receipts.map(({ outcome }) => outcome)).toEqual(["created", "created"]);
  });

  it("finds related entries by meaning, and no unrelated ones", async () => {
    const page = await host.json<Page>([
      "retrieve",
      "solar system",
      "--tier",
      "semantic",
      "--min-score",
      "0.3",
    ]);
    expect(page.entries.map(({ key }) => key)).toEqual([{ id: "fact1" }]);
  });

  it("prints one line per entry, and the total", async () => {
    const { code, stdout } = await host.cli(["retrieve", "--tier", "semantic", "--tag", "astronomy"]);
    expect(stdout).toBe('1.00  semantic  {"id":"fact1"}  {"text":"Earth orbits the Sun"}\n1 of 1\n');
    expect(code).toBe(0);
  });

  it("selects by key, key field and filter", async () => {
    const where = '{"not":{"field":"tags","op":"eq","value":"office"}}';
    for (const flags of [
      ["--key", '{"id":"fact1"}'],
      ["--match", '{"id":"fact1"}'],
      ["--where", where],
    ]) {
      const { total, entries } = await host.json<Page>(["retrieve", "--tier", "semantic", ...flags]);
      expect([total, entries[0]?.key]).toEqual([1, { id: "fact1" }]);
    }
  });

  it("explains scores with --explain", async () => {
    const args = ["retrieve", "orbits sun", "--tier", "semantic", "--limit", "1", "--explain"];
    const { stdout } = await host.cli([...args, "--recency", "7d:0.5", "--expand", "1,1"]);
    const lines = stdout.trim().split("\n");
    expect(lines[0]).toMatch(/^0\.\d\d {2}semantic {2}\{"id":"fact1"\} {2}/);
    expect(lines[1]).toMatch(
      /^ {6}0\.\d{3} = relevance 0\.\d{3} x importance 1\.000 x recency (1\.000|0\.999)$/,
    );
    expect(lines[2]).toMatch(/^ {6}text 0\.\d{3}, cosine 0\.\d{3}, group 0\.000, passage 0\.\.\d+$/);
    expect(lines.slice(3, 5).map((line) => line.split(":")[0]!.trim())).toEqual(["orbits", "sun"]);
    expect(lines[5]).toMatch(
      /^semantic: 2 candidates, terms orbits sun, analyzer \S+, embedder \S+, vectors of generation \S+$/,
    );
    expect(lines[6]).toMatch(/^time in ms: total /);
    const page = await host.json<{ entries: { explain: object }[]; explain: object[] }>(args);
    expect([page.entries[0]!.explain, page.explain[0]]).toMatchObject([{ recency: 1 }, { tier: "semantic" }]);
  });

  it("stores valid entries of a batch with an invalid one, and exits with 1", async () => {
    const entries = '[{"key":"good","content":1},{"key":"bad","content":2,"ttl":-1}]';
    const { code, stdout } = await host.cli(["store", entries]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^0: created, revision \d+\n1: schema_violation: /);
  });

  it("reports invalid JSON and invalid flags as usage errors", async () => {
    const noJson = await host.cli(["store", "{"]);
    expect([noJson.code, noJson.stderr]).toEqual([
      2,
      expect.stringMatching(/^membus: the entry is not valid JSON: /),
    ]);
    const rounded = await host.cli(["store", '{"key":"a","content":1234567890123456789}']);
    expect([rounded.code, rounded.stderr.trim()]).toEqual([
      2,
      "membus: the entry: content is an integer beyond ±(2^53 - 1) (usage)",
    ]);
    const noTime = await host.cli(["retrieve", "--since", "yesterday", "--json"]);
    expect(noTime.code).toBe(2);
    expect(JSON.parse(noTime.stderr)).toMatchObject({
      error: {
        code: "usage",
        message: "--since must be an ISO date or a number of Unix seconds, got yesterday",
      },
    });
  });
});

describe("list", () => {
  it("prints values or namespaces as a table, with the total", async () => {
    const entries = [
      ["a", 1],
      ["b", "1"],
      ["c", "x y"],
    ].map(([key, kind]) => {
      return {
        key,
        content: key,
        tier: "episodic",
        metadata: { kind },
        tags: ["listed"],
        occurred_at: 1_700_000_000,
      };
    });
    await host.json(["store", JSON.stringify(entries), "--namespace", "team/notes"]);
    const { stdout } = await host.cli(["list", "team/**", "--field", "metadata.kind"]);
    const lines = stdout.split("\n");
    expect(lines[0]).toBe("count  bytes  newest                    value");
    expect(lines.slice(1, 4).map((line) => line.replace(/^ +1 +\d+ {2}/, ""))).toEqual([
      "2023-11-14T22:13:20.000Z  1",
      '2023-11-14T22:13:20.000Z  "1"',
      "2023-11-14T22:13:20.000Z  x y",
    ]);
    expect(lines.slice(4)).toEqual(["3 of 3", ""]);
    const all = await host.json<{ items: { value: string; count: number }[] }>(["list", "--tag", "listed"]);
    expect(all.items).toMatchObject([{ value: "team/notes", count: 3 }]);
    const cut = await host.json<{ items: object[] }>(["list", "--tag", "listed", "--depth", "1"]);
    expect(cut.items).toMatchObject([{ value: "team", count: 3 }]);
  });

  it("continues with a cursor", async () => {
    const args = ["list", "team/notes", "--field", "key.name", "--order", "count", "--limit", "2"];
    const { stdout } = await host.cli(args);
    const [, cursor] = /^next page: --cursor (\S+)$/m.exec(stdout)!;
    expect((await host.cli([...args, "--cursor", cursor!])).stdout).toMatch(/ {2}c\n1 of 3\n$/);
  });

  it("lists the namespaces below a namespace, and rejects an unknown field", async () => {
    const { stdout } = await host.cli(["list", "--namespace", "team", "--limit", "0"]);
    expect(stdout).toBe("0 of 1\n");
    const wrong = await host.cli(["list", "--field", "created"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("must be tags, group")]);
  });
});

describe("forget", () => {
  it("counts, forgets, and refuses to forget everything without --all", async () => {
    for (const name of ["a", "b"])
      await host.json(["remember", name, "1", "--tag", "temp", "--tier", "working"]);
    const counted = await host.cli(["forget", "--tag", "temp", "--dry-run"]);
    expect(counted.stdout).toMatch(/^would forget 2 /);
    const forgotten = await host.json<{ deleted: number }>(["forget", "--tag", "temp", "--tier", "working"]);
    expect(forgotten.deleted).toBe(2);
    const again = await host.json<{ deleted: number }>(["forget", "--tag", "temp"]);
    expect(again.deleted).toBe(0);
    const entry = { key: "root", content: 1, tags: ["temp"] };
    const derived = { key: "derived", content: 2, sources: [keyHash("root")] };
    await host.json(["store", JSON.stringify([entry, derived])]);
    const cascade = await host.cli(["forget", "--tag", "temp", "--tier", "working", "--cascade"]);
    const [forgot, removed] = cascade.stdout.split("\n");
    expect(forgot).toBe('forgot 2 ({"working":2}, derived [1])');
    expect(removed).toContain("erased from disk at");
    const everything = await host.cli(["forget"]);
    expect([everything.code, everything.stderr]).toEqual([2, expect.stringContaining("all: true")]);
  });
});

describe("remember and recall", () => {
  it("stores text as text and JSON as JSON", async () => {
    expect((await host.cli(["remember", "user_name", "Alice"])).stdout).toMatch(/^created, revision \d+\n$/);
    expect((await host.cli(["recall", "user_name"])).stdout).toBe("Alice\n");
    expect(await host.json(["retrieve", "--key", "user_name", "--tier", "episodic"])).toMatchObject({
      total: 1,
    });
    await host.json(["remember", "point", '{"x":1}', "--tier", "episodic", "--score", "0.5"]);
    expect(await host.json(["recall", "point"])).toEqual({ x: 1 });
  });

  it("names the flag of a wrong importance, and what to do with a large value", async () => {
    const wrong = await host.cli(["remember", "a", "1", "--score", "5"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("--score must be a number in 0..1"),
    ]);
    const large = JSON.stringify({ key: "a", content: "x".repeat(300_000) });
    const refused = await host.cli(["store", "-"], large);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining("split the content")]);
  });

  it("reports an absent value, and exits with 1", async () => {
    const { code, stdout, stderr } = await host.cli(["recall", "nobody"]);
    expect([code, stdout, stderr]).toEqual([1, "", "no value is stored under nobody\n"]);
  });

  it("separates agents, sessions and namespaces", async () => {
    await host.json(["remember", "mine", "1", "--agent", "alice", "--session", "s1"]);
    const args = await Promise.all([
      host.cli(["recall", "mine", "--agent", "alice", "--session", "s1"]),
      host.cli(["recall", "mine", "--agent", "bob", "--session", "s1"]),
      host.cli(["recall", "mine", "--agent", "alice", "--session", "s2"]),
      host.cli(["recall", "mine", "--agent", "alice", "--session", "s1", "--namespace", "other"]),
    ]);
    expect(args.map(({ code }) => code)).toEqual([0, 1, 1, 1]);
  });
});
