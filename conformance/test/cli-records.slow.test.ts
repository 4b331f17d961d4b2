import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeJson } from "@membus/protocol";
import { splitRecord } from "@membus/protocol/records";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RunningHost } from "../../cli/test/running-host.js";
import { goldenRecords } from "../src/fixtures/golden-records.js";
import { runSuiteCli } from "./run-suite-cli.js";

const host = new RunningHost();
beforeAll(() => host.start(), 400_000);
afterAll(() => host.stop());

const AGENT = ["--agent", "alice"];

/** Stores entries as a program would that knows nothing of records: lines of JSON. */
async function write(namespace: string, entries: readonly object[]): Promise<void> {
  const path = join(host.directory, "records.jsonl");
  writeFileSync(path, entries.map(writeJson).join("\n"));
  await host.json(["import", path, "--tier", "episodic", "--namespace", namespace, ...AGENT]);
}

const check = (...args: string[]) =>
  runSuiteCli(["records", "--nats", host.url, ...AGENT, ...args], host.directory);

const TEXT = Array.from({ length: 20_000 }, (_, line) => `line ${line}`).join("\n");
const LARGE = splitRecord({
  key: { offload: "large" },
  content: { text: `${TEXT}\n${TEXT}` },
  metadata: { kind: "offload", bytes: 2 * TEXT.length + 1 },
});

describe("membus-conformance records", () => {
  it("counts valid records, parts and other entries: exit code 0", async () => {
    const golden = goldenRecords().map(({ entry }) => entry);
    await write("good/golden", [...golden, { key: "note", content: 1 }]);
    await write("good/large", LARGE);
    const { code, stdout, stderr } = await check("--namespace", "good/**", "--tier", "episodic");
    expect(stderr).toBe("");
    expect(stdout).toBe(
      "records: block 3, experience 2, fact 3, file 2, guideline 2, history 2, message 11, offload 3, summary 2, " +
        "target 2, tool_call 3, triple 2; parts: 3; entries of other kinds: 1\nEvery record is valid.\n",
    );
    expect(code).toBe(0);
  });

  it("names each that is not, with the path and the reason: exit code 1", async () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    await write("bad", [
      {
        key: { conversation: "c", message: "m" },
        content: { role: "assistant", content: null, tool_calls: [call] },
        metadata: { kind: "message", role: "assistant" },
      },
      { key: { block: "a" }, content: {}, metadata: { kind: "block", label: "a" } },
      { key: { fact: "f" }, content: { text: "x" }, metadata: { kind: "fact", about: "a", trust: "user" } },
      ...LARGE.slice(1),
    ]);
    const { code, stdout } = await check("--namespace", "bad");
    const lines = stdout.trim().split("\n");
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^episodic bad \{"conversation":"c","message":"m"\} message: content\.tool_calls\[0\]\.name: /,
      ),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^episodic bad \{"block":"a"\} block: content\.value: /),
    );
    expect(lines).toContain(
      'episodic bad {"offload":"large"} offload: content.parts: a part is missing or changed (2 are there)',
    );
    expect(lines.slice(-2)).toEqual([
      "records: fact 1; parts: 2; entries of other kinds: 0",
      "Invalid records: 3",
    ]);
    expect(code).toBe(1);
  });

  it("has tested nothing where there are none, or where it is not told where: exit code 2", async () => {
    await write("others", [{ key: "note", content: 1 }]);
    const none = await check("--namespace", "others");
    expect(none.stderr).toContain("alice finds no records in others (entries of other kinds: 1)");
    const nowhere = await check();
    expect(nowhere.stderr).toContain("--namespace");
    const noPath = await check("--namespace", "a//b");
    expect(noPath.stderr).toContain("Give a path of 1..8 segments");
    expect([none.code, nowhere.code, noPath.code]).toEqual([2, 2, 2]);
  });
});
