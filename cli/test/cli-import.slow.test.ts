import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { endChild, resultOf, runCli } from "./run-cli.js";
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
  await expect.poll(reached, { interval: 5 }).toBeGreaterThanOrEqual(300);
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

it("exports entries that import restores unchanged, and pipes them", async () => {
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
  await host.json(["store", JSON.stringify(entry), "--namespace", "notes/books"]);
  const path = join(host.directory, "carried.jsonl");
  const exported = await host.json(["export", "--tag", "carried", "--out", path]);
  expect(exported).toEqual({ exported: 1, skipped: 0, file: path });
  await host.json(["forget", "--tag", "carried", "--namespace", "notes/books"]);
  const dry = await host.cli(["import", path, "--dry-run"]);
  expect(dry.stdout).toMatch(
    /^1 entries of the semantic tier\n1 entry\n0 rejected\n\{"namespace":"notes\/books"/,
  );
  expect(await host.json(["import", path])).toMatchObject({ stored: 1 });
  expect(await host.json(["import", path])).toMatchObject({ stored: 0, unchanged: 1 });
  const { stdout, stderr } = await host.cli(["export", "--tag", "carried"]);
  const [manifest, line, trailer] = stdout.trim().split("\n");
  expect(JSON.parse(line!)).toMatchObject({ ...entry, namespace: "notes/books" });
  expect(JSON.parse(manifest!)).toMatchObject({ filters: { tags: ["carried"] } });
  expect(JSON.parse(trailer!)).toMatchObject({ entries: { semantic: 1 } });
  expect(stderr).toBe("1 entries\n");
});

it("resumes the import of an export after a kill, for another agent", async () => {
  const path = join(host.directory, "all.jsonl");
  await host.json(["export", "--tag", "long", "--out", path]);
  const progress = () => JSON.parse(readFileSync(`${path}.membus-import`, "utf8")) as { items: number };
  const reached = () => (existsSync(`${path}.membus-import`) ? progress().items : 0);
  const first = host.spawn(["import", path, "--agent", "second"]);
  await expect.poll(reached, { interval: 5 }).toBeGreaterThanOrEqual(300);
  await endChild(first, "SIGKILL");
  expect(progress().items).toBeLessThan(6_000);
  const report = await host.json(["import", path, "--agent", "second"]);
  expect(report).toMatchObject({ stored: 6_000, unchanged: 0, failed: {} });
  const again = await host.json(["import", path, "--agent", "second"]);
  expect(again).toMatchObject({ stored: 0, unchanged: 6_000, failed: {} });
});

it("refuses a cut export and a namespace for an export, with exit code 2", async () => {
  const path = join(host.directory, "all.jsonl");
  const moved = await host.cli(["import", path, "--namespace", "elsewhere"]);
  expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining("leave out --namespace")]);
  const lines = readFileSync(path, "utf8").split("\n").slice(0, 9);
  const cut = await host.cli(["import", file("cut.jsonl", lines), "--agent", "third"]);
  expect([cut.code, cut.stderr]).toEqual([
    2,
    expect.stringContaining("line 9: the end of the export is missing"),
  ]);
});

it("reads an export larger than the memory of the process", async () => {
  const path = join(host.directory, "large.jsonl");
  const entry = { key: { n: 0 }, content: "x".repeat(64_000), tier: "episodic", namespace: "default" };
  const count = 2_500;
  const manifest = readFileSync(join(host.directory, "all.jsonl"), "utf8").split("\n")[0]!;
  const sum = createHash("sha256");
  const output = createWriteStream(path);
  const write = async (line: string) => {
    sum.update(`${line}\n`);
    if (!output.write(`${line}\n`)) await once(output, "drain");
  };
  await write(manifest);
  for (let n = 0; n < count; n++) await write(JSON.stringify({ ...entry, key: { n } }));
  const trailer = { format: "membus-export-end", entries: { episodic: count }, sha256: sum.digest("hex") };
  output.end(`${JSON.stringify(trailer)}\n`);
  await once(output, "close");
  const env = { NODE_OPTIONS: "--max-old-space-size=64" };
  const { code, stdout, stderr } = await runCli(["import", path, "--dry-run"], { cwd: host.directory, env });
  expect([code, stderr, stdout.split("\n")[0]]).toEqual([0, "", "2500 entries of the episodic tier"]);
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
