import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { userFolders } from "../../src/coding-agents/user-folders.js";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";

const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };
const TOOL = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const START = { hook_event_name: "SessionStart", source: "startup", session_id: "s-2" };
const MAJOR = process.versions.node.split(".")[0];

const host = new RunningHost();
let run: HookRun;
let compiled: string;
beforeAll(() => host.start());
afterAll(() => host.stop());
beforeEach(() => {
  run = new HookRun(host.url);
  compiled = join(userFolders(run.env).state, "compiled", `node-${MAJOR}`);
});
afterEach(() => run.remove());

const RECALLED = {
  hookSpecificOutput: {
    hookEventName: "SessionStart",
    additionalContext: expect.stringContaining("Always use pnpm in this repository."),
  },
};
const inode = () => statSync(compiled, { throwIfNoEntry: false })?.ino;

it("keeps compiled code for the next hook, readable only by the user, once an event has reached the host", async () => {
  await run.answer(TOOL);
  expect(inode()).toBeUndefined();
  await run.answer(PROMPT);
  expect(statSync(compiled).mode & 0o077).toBe(0);
  const kept = inode();
  expect(await run.answer(START)).toEqual(RECALLED);
  expect(inode()).toBe(kept);
});

it.each([
  ["damaged", (bytes: Buffer) => Buffer.from(bytes.fill(0, 1_000, 2_000))],
  ["torn", (bytes: Buffer) => bytes.subarray(0, 40)],
])("answers with a %s file with compiled code, and replaces it", async (_, damage) => {
  await run.answer(PROMPT);
  const good = readFileSync(compiled);
  writeFileSync(compiled, damage(Buffer.from(good)));
  const broken = inode();
  expect(await run.answer(START)).toEqual(RECALLED);
  expect(inode()).not.toBe(broken);
  expect(readFileSync(compiled).length).toBeGreaterThan(100_000);
});

it("answers without compiled code if its folder is a file", async () => {
  mkdirSync(dirname(dirname(compiled)), { recursive: true });
  writeFileSync(dirname(compiled), "");
  await run.answer(PROMPT);
  expect(await run.answer(START)).toEqual(RECALLED);
});
