import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HookSessions } from "../src/plugins/hook-sessions.js";

const CALL = { tool: "read", input: {}, output: "" };
const FULL = "membus: cannot keep a note: the outbox is full";

let folder: string;
let notices: string[];
let sessions: HookSessions;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "membus-hook-sessions-"));
  notices = [];
  const print = "process.stdin.resume().on('end', () => fs.createReadStream('answer').pipe(process.stdout))";
  sessions = new HookSessions([process.execPath, "-e", print], (message) => notices.push(message));
  answerWith({});
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Sets the answer of the command to the next events. */
function answerWith(answer: unknown): void {
  writeFileSync(join(folder, "answer"), JSON.stringify(answer));
}

function place(session = "s-1", person?: string) {
  return { session, folder, person };
}

it("does not reject an event that cannot be sent", async () => {
  await sessions.prompt(place(), "Hello", true);
  await sessions.tool("s-1", { ...CALL, output: undefined as never });
  await sessions.tool("s-1", { ...CALL, input: 1n });
  expect(notices).toHaveLength(2);
  expect(notices[1]).toBe("membus: Do not know how to serialize a BigInt");
});

it("does not reject an answer that is no object", async () => {
  answerWith(null);
  await sessions.prompt(place(), "Hello", true);
  expect(notices[0]).toMatch(/^membus: .*null/);
});

it("does not reject if the agent cannot show a notice", async () => {
  const stale = () => {
    throw new Error("the context is stale");
  };
  const failing = new HookSessions([join(folder, "missing")], stale);
  expect(await failing.prompt(place(), "Hello", true)).toContain("ENOENT");
});

it.each([
  ["tool", () => sessions.tool("s-1", CALL)],
  ["stop", () => sessions.stop("s-1", "Done.")],
  ["compacting", () => sessions.compacting("s-1")],
])("shows the agent a notice of %s at the next prompt, once", async (_event, report) => {
  await sessions.prompt(place(), "Hello", true);
  answerWith({ systemMessage: FULL });
  await report();
  answerWith({ hookSpecificOutput: { additionalContext: "A note" } });
  expect(await sessions.prompt(place(), "Go on", true)).toBe(`${FULL}\n\nA note`);
  expect(await sessions.prompt(place(), "Go on", true)).toBe("A note");
});

it("shows the agent a notice of the end of a session in the next session of the same person", async () => {
  await sessions.prompt(place("s-1", "ada"), "Hello", true);
  answerWith({ systemMessage: FULL });
  await sessions.end("s-1");
  answerWith({});
  expect(await sessions.prompt(place("s-2"), "Hello", true)).toBe("");
  expect(await sessions.prompt(place("s-3", "ada"), "Hello", true)).toBe(FULL);
  expect(await sessions.prompt(place("s-4", "ada"), "Hello", true)).toBe("");
});

it("keeps the three newest notices for a prompt, each once", async () => {
  await sessions.prompt(place(), "Hello", true);
  for (const message of ["one", "two", "three", "three", "four"]) {
    answerWith({ systemMessage: message });
    await sessions.stop("s-1", "Done.");
  }
  answerWith({});
  expect(await sessions.prompt(place(), "Go on", true)).toBe("two\n\nthree\n\nfour");
});

it("shows the agent why a prompt or a request failed", async () => {
  const missing = new HookSessions([join(folder, "missing")], () => undefined);
  const failure = `membus: spawn ${join(folder, "missing")} ENOENT`;
  expect(await missing.prompt(place(), "Hello", true)).toBe(failure);
  expect(await missing.request(place(), "MemoryStore", "Builds need Node 22.")).toBe(failure);
});
