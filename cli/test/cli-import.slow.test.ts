import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endChild, resultOf } from "./run-cli.js";
import { RunningHost } from "./running-host.js";

const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

const file = (name: string, lines: readonly string[]) => {
  const path = join(host.directory, name);
  writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return path;
};

const total = async (tag: string) =>
  (await host.json<{ total: number }>(["retrieve", "--tag", tag, "--limit", "0"])).total;

it("stores valid lines, and counts invalid ones by error code with an example", async () => {
  const good = Array.from({ length: 150 }, (_, n) =>
    JSON.stringify({ key: `good ${n}`, content: n, tags: ["mixed"] }),
  );
  const bad = [
    "{not json",
    "[1]",
    "",
    '{"content":"no key"}',
    '{"key":"typo","contnet":1,"content":1}',
    '{"key":"negative","content":1,"ttl":-1}',
  ];
  const path = file("mixed.jsonl", [...good.slice(0, 10), ...bad, ...good.slice(10)]);
  const { code, stdout } = await host.cli(["import", path, "--tier", "episodic", "--json"]);
  expect(code).toBe(1);
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(report).toMatchObject({ stored: 150, failed: { parse_error: 2, schema_violation: 3 } });
  expect(report.examples).toMatchObject({
    parse_error: { line: 11, message: expect.stringContaining("not valid JSON") },
    schema_violation: { line: 14, message: "must have a `key`" },
  });
  expect(await total("mixed")).toBe(150);
});

it("resumes after a kill without storing duplicates", async () => {
  const count = 6_000;
  const lines = Array.from({ length: count }, (_, n) =>
    JSON.stringify({ key: { line: n }, content: n, tags: ["long"], tier: "episodic" }),
  );
  const path = file("long.jsonl", lines);
  const progress = () => JSON.parse(readFileSync(`${path}.membus-import`, "utf8")) as { items: number };
  const first = host.spawn(["import", path]);
  const reached = () => (existsSync(`${path}.membus-import`) ? progress().items : 0);
  await expect.poll(reached, { timeout: 50_000, interval: 5 }).toBeGreaterThanOrEqual(300);
  await endChild(first, "SIGKILL");
  const interruptedAt = progress().items;
  expect(interruptedAt).toBeLessThan(count);

  const before = await total("long");
  expect(before).toBeGreaterThanOrEqual(interruptedAt);
  const report = await host.json(["import", path]);
  expect(report).toMatchObject({ stored: count, failed: {} });
  expect(await total("long")).toBe(count);
  expect(existsSync(`${path}.membus-import`)).toBe(false);
});

it("exports entries that import restores unchanged", async () => {
  const entry = {
    key: { note: 1 },
    content: { text: "Grüße, 世界" },
    tier: "semantic",
    tags: ["carried"],
    metadata: { page: 3 },
    context: "what stood before",
    group: "a book",
    occurred_at: 1_700_000_000.5,
    importance: 0.5,
  };
  await host.json(["store", JSON.stringify(entry)]);
  const path = join(host.directory, "carried.jsonl");
  const exported = await host.json(["export", "--tag", "carried", "--out", path]);
  expect(exported).toEqual({ exported: 1, file: path });
  await host.json(["forget", "--tag", "carried"]);
  await host.json(["import", path]);
  const { stdout, stderr } = await host.cli(["export", "--tag", "carried"]);
  expect(JSON.parse(stdout)).toMatchObject(entry);
  expect(stderr).toBe("1 entries\n");
});

it("exits silently when its reader closes the pipe, and reports unwritable files", async () => {
  const child = host.spawn(["export", "--tag", "long"]);
  child.stdout.once("data", () => child.stdout.destroy());
  const { code, stderr } = await resultOf(child);
  expect([code, stderr]).toEqual([0, ""]);
  const absent = await host.cli(["export", "--out", join(host.directory, "absent", "file")]);
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringMatching(/^membus: ENOENT/)]);
});

it("rejects an absent file and a folder", async () => {
  for (const path of [join(host.directory, "absent.jsonl"), host.directory]) {
    const { code, stderr } = await host.cli(["import", path]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot read ${path}`)]);
  }
});

it("keeps entries without a tier in episodic memory, and imports files of other memories", async () => {
  await host.json(["import", file("plain.jsonl", ['{"key":"plain","content":1,"tags":["plain"]}'])]);
  const found = await host.json<{ entries: object[] }>(["retrieve", "--tag", "plain"]);
  expect(found.entries).toMatchObject([{ tier: "episodic" }]);
  const path = file("mem0.json", ['[{"id":"1","memory":"Ada likes tea","user_id":"ada"},{"id":"2"}]']);
  const dry = await host.cli(["import", "--from", "mem0", path, "--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([1, expect.stringMatching(/^1 fact\n1 rejected\n\{/)]);
  const first = await host.cli(["import", "--from", "mem0", path]);
  expect(first.code).toBe(1);
  expect(first.stdout).toMatch(/^1 stored\n1 failed: schema_violation, such as line 2: memory: /);
  expect(first.stdout).toContain(`Rejected rows are listed in ${path}.rejected.jsonl`);
  const second = await host.cli(["import", "--from", "mem0", path]);
  expect(second.stdout).toMatch(/^0 stored\n1 unchanged\n1 failed/);
});
