import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { userFolders } from "../../src/coding-agents/user-folders.js";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";

const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };
const TOOL = { hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
const START = { hook_event_name: "SessionStart", source: "startup", session_id: "s-2" };

const host = new RunningHost();
let run: HookRun;
/** Folder of the compiled code. */
let folder: string;
beforeAll(() => host.start());
afterAll(() => host.stop());
beforeEach(() => {
  run = new HookRun(host.url);
  folder = join(userFolders(run.env).state, "compiled");
});
afterEach(() => run.remove());

const RECALLED = {
  hookSpecificOutput: {
    hookEventName: "SessionStart",
    additionalContext: expect.stringContaining("Always use pnpm in this repository."),
  },
};
const files = () => readdirSync(folder).map((name) => join(folder, name));
const inodes = () => files().map((path) => statSync(path).ino);

it("keeps compiled code for the next hook, readable only by the user, once an event has reached the host", async () => {
  await run.answer(TOOL);
  expect(existsSync(folder)).toBe(false);
  await run.answer(PROMPT);
  expect(files().map((path) => statSync(path).mode & 0o077)).toEqual([0]);
  const kept = inodes();
  expect(await run.answer(START)).toEqual(RECALLED);
  expect(inodes()).toEqual(kept);
});

it.each([
  ["damaged", (bytes: Buffer) => Buffer.from(bytes.fill(0, 1_000, 2_000))],
  ["torn", (bytes: Buffer) => bytes.subarray(0, 40)],
])("answers with a %s file with compiled code, and replaces it", async (_, damage) => {
  await run.answer(PROMPT);
  const [compiled] = files();
  writeFileSync(compiled!, damage(readFileSync(compiled!)));
  const broken = inodes();
  expect(await run.answer(START)).toEqual(RECALLED);
  expect(inodes()).not.toEqual(broken);
  expect(readFileSync(compiled!).length).toBeGreaterThan(100_000);
});

it("keeps a file for each set of flags, and at most four files", async () => {
  const answer = (...flags: string[]) => run.answer(PROMPT, [], { node: flags });
  await answer("--stack-size=900");
  await answer("--stack-size=901");
  const kept = inodes();
  expect(kept.length).toBe(2);
  await answer("--stack-size=900");
  await answer("--stack-size=901");
  expect(inodes()).toEqual(kept);
  for (const size of [902, 903, 904]) await answer(`--stack-size=${size}`);
  expect(inodes().length).toBe(4);
});

it("answers without compiled code if its folder is a file", async () => {
  mkdirSync(dirname(folder), { recursive: true });
  writeFileSync(folder, "");
  await run.answer(PROMPT);
  expect(await run.answer(START)).toEqual(RECALLED);
});
