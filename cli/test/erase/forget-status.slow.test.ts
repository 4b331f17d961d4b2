import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { filesWith } from "../../../plugins/lancedb/test/storage-fixture.js";
import { RunningHost } from "../running-host.js";

interface Forgotten {
  readonly deleted: number;
  readonly requestId: string;
  readonly status: { readonly purge: string; readonly purge_by?: number };
}

const TIME = String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
const host = new RunningHost();
beforeAll(() => host.start());
afterAll(() => host.stop());

const store = (key: string) =>
  host.json(["store", JSON.stringify({ key, content: "s3cret", tier: "episodic" })]);
const forget = (...args: string[]) => host.cli(["forget", ...args]);

describe("membus forget", () => {
  it("reports when the bytes will be erased, and later that they are", async () => {
    await store("first");
    const { deleted, requestId, status } = await host.json<Forgotten>(["forget", "--key", "first"]);
    expect([deleted, status.purge]).toEqual([1, "scheduled"]);
    expect(status.purge_by).toBeGreaterThan(Date.now() / 1_000);
    expect((await forget("--status", requestId)).stdout).toMatch(
      new RegExp(`^to be erased from disk by ${TIME}\n$`),
    );
    await store("second");
    const purged = await forget("--key", "second", "--purge");
    expect(purged.stdout).toMatch(new RegExp(`^forgot 1 \\({.*}\\)\nerased from disk at ${TIME}\n$`));
    expect((await forget("--status", requestId)).stdout).toMatch(
      new RegExp(`^erased from disk at ${TIME}\n$`),
    );
    expect(await filesWith(host.data, "s3cret")).toEqual([]);
  });

  it("forgets a user, and counts by kind", async () => {
    const fact = { key: { fact: "f1" }, content: { text: "s3cret" }, tier: "episodic" };
    const entry = { ...fact, metadata: { kind: "fact", about: "user:ada", trust: "user" } };
    await host.json(["store", JSON.stringify(entry), "--namespace", "about/user:ada"]);
    const counted = await forget("--user", "ada", "--dry-run");
    expect(counted.stdout).toBe("would forget 1 entry\n  fact         1\n");
    const { stdout } = await forget("--user", "ada", "--purge");
    expect(stdout).toMatch(/^forgot 1 entry, erased from disk\n {2}fact {9}1\nmay remain:\n/);
    expect(await filesWith(host.data, "s3cret")).toEqual([]);
    const mixed = await forget("--user", "ada", "--tag", "x");
    expect([mixed.code, mixed.stderr]).toEqual([2, expect.stringContaining("cannot be combined")]);
    expect((await forget("--name", "x")).code).toBe(2);
  });

  it("prints the command for a later check", async () => {
    await store("third");
    const { stdout } = await forget("--key", "third");
    const [forgot, removed, ask] = stdout.split("\n");
    expect([forgot, removed]).toEqual([
      expect.stringMatching(/^forgot 1 /),
      expect.stringContaining("to be erased from disk by"),
    ]);
    const [, ...words] = /^check later: membus (forget) (--status) (\S+)$/.exec(ask!)!;
    expect((await host.cli(words)).code).toBe(0);
    const mistaken = await forget("--status", words[2]!, "--tag", "temp");
    expect([mistaken.code, mistaken.stderr]).toEqual([2, expect.stringContaining("cannot be combined")]);
    const unknown = await forget("--status", "nobody's");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("memory_not_found")]);
  });

  it("prints the command for a check after a request without an answer", async () => {
    await host.kill();
    const unanswered = await forget("--key", "third");
    expect(unanswered.code).toBe(1);
    expect(unanswered.stderr).toMatch(
      /^the entries may .* Check as the same agent: membus forget --status [\w-]+\n.*\((unavailable|timeout)\)/,
    );
    expect((await forget("--key", "third", "--dry-run")).stderr).not.toContain("--status");
  });
});
