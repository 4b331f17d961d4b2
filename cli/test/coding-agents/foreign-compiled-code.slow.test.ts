import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";

const PROGRAM = fileURLToPath(new URL("../../dist/hook/program.cjs", import.meta.url));
const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };
/** Compiles another program with the length of the real one, which is all that V8 compares. */
const COMPILE = `
  const { length } = require("node:fs").readFileSync(process.argv[1], "utf8");
  const body = "console.log('foreign code');".padEnd(length);
  const code = "(function (exports, require, module, __filename, __dirname) {" + body + "\\n})";
  process.stdout.write(new (require("node:vm").Script)(code).createCachedData());
`;

const host = new RunningHost();
let run: HookRun;
beforeAll(() => host.start());
afterAll(() => host.stop());
beforeEach(() => {
  run = new HookRun(host.url);
});
afterEach(() => run.remove());

/** Puts the compiled code of another program into a folder for the state, and returns its path. */
async function poison(state: string): Promise<string> {
  const folder = join(state, "membus", "coding-agents", "compiled");
  await run.hook(PROMPT, [], { node: [], env: { XDG_STATE_HOME: state } });
  const path = join(folder, readdirSync(folder)[0]!);
  const compiled = execFileSync(process.execPath, ["-e", COMPILE, PROGRAM]);
  const source = createHash("sha256").update(readFileSync(PROGRAM)).digest();
  const checksum = createHash("sha256").update(source).update(compiled).digest();
  writeFileSync(path, Buffer.concat([checksum, compiled]));
  return path;
}

async function printed(env: Readonly<Record<string, string>>): Promise<string> {
  const { code, stdout } = await run.hook(PROMPT, [], { node: [], env });
  expect(code).toBe(0);
  return stdout;
}

it("runs compiled code only if other users cannot write it", async () => {
  const state = join(run.project, "state");
  const path = await poison(state);
  expect(await printed({ XDG_STATE_HOME: state })).toBe("foreign code\n");
  chmodSync(path, 0o620);
  expect(await printed({ XDG_STATE_HOME: state })).not.toContain("foreign code");
});

it.each([
  ["XDG_STATE_HOME is relative", "state", { XDG_STATE_HOME: "state" }],
  ["HOME is empty", ".local/state", { XDG_STATE_HOME: "", HOME: "" }],
])("runs no compiled code from the project if %s, and writes none", async (_, folder, env) => {
  const path = await poison(join(run.project, folder));
  const foreign = readFileSync(path);
  expect(await printed(env)).not.toContain("foreign code");
  expect(readFileSync(path).equals(foreign)).toBe(true);
});
