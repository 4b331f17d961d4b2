import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { launchNatsServer } from "@membus/nats-server";
import { createUser } from "@nats-io/nkeys";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { NATS_SERVER } from "../../../bus/test/nats-server.js";
import { RunningHost } from "../running-host.js";
import { HookRun } from "./hook-run.js";

/** A port at which nothing listens. */
const NOWHERE = "nats://127.0.0.1:9";
const PROMPT = { hook_event_name: "UserPromptSubmit", prompt: "Always use pnpm in this repository." };

const host = new RunningHost();
let run: HookRun;
beforeAll(() => host.start());
afterAll(() => host.stop());
beforeEach(() => {
  run = new HookRun(host.url);
});
afterEach(() => run.remove());

it("keeps a statement of the user, and recalls it when another session starts", async () => {
  expect(await run.answer(PROMPT)).toEqual({});
  const start = { hook_event_name: "SessionStart", source: "startup", session_id: "s-2" };
  const { hookSpecificOutput } = await run.answer(start);
  expect(hookSpecificOutput?.additionalContext).toContain("Always use pnpm in this repository.");
});

it("says that the server on the port of the host belongs to another user, and keeps the write", async () => {
  const nkey = createUser().getPublicKey();
  const server = await launchNatsServer({ binary: NATS_SERVER, port: 0, nkey });
  const other = new HookRun(server.url);
  const { systemMessage } = await other.answer(PROMPT);
  const start = await other.answer({ hook_event_name: "SessionStart", source: "startup" });
  const named = await other.answer(PROMPT, ["--nats", server.url.replace("//", "//ada:secret@")]);
  other.remove();
  await server.stop();
  const problem = `another program or user listens on port ${new URL(server.url).port}`;
  const advice = "name a server with --nats, and credentials with --creds if it needs them";
  expect(systemMessage).toContain(`: ${problem}: ${advice}. 1 write is queued on this machine`);
  expect(start.systemMessage).toContain(`: ${problem}: ${advice}. 1 write is queued`);
  expect(named.systemMessage).toContain("refused the credentials");
});

it("keeps writes in the outbox while no host answers, and ends with 0", async () => {
  const away = new HookRun(NOWHERE);
  const { systemMessage, hookSpecificOutput } = await away.answer(PROMPT);
  expect(systemMessage).toMatch(/^membus: memory is degraded: .*1 write is queued on this machine/);
  expect(hookSpecificOutput?.additionalContext).toBe(systemMessage);
  const listed = await away.cli(["outbox", "list"]);
  expect(listed.stdout).toMatch(
    /^[0-9a-f-]{36} {2}queued {2}.+ {2}about\/project:project-[0-9a-f]{8} {2}\{"fact":/,
  );
  const list = JSON.parse((await away.cli(["outbox", "list", "--json"])).stdout) as {
    writes: { id: string }[];
  };
  expect(list.writes).toHaveLength(1);
  const dropped = await away.cli(["outbox", "drop", list.writes[0]!.id]);
  expect(dropped.stdout).toBe("deleted 1 of the writes\n");
  expect((await away.cli(["outbox", "list"])).stdout).toBe("the outbox is empty\n");
  away.remove();
});

it.each(["opencode", "pi", "openclaw"])("answers the plugin of %s", async (agent) => {
  const flags = ["--state", join(run.folder, "state"), "--no-start"];
  const send = (fields: object) =>
    run.cli(["hook", agent, ...flags], JSON.stringify({ session_id: "s-1", cwd: run.project, ...fields }));
  expect(await send({ ...PROMPT, source: "user" })).toMatchObject({ code: 0, stdout: "", stderr: "" });
  const { stdout } = await send({ hook_event_name: "MemorySearch", prompt: "pnpm" });
  expect(JSON.parse(stdout)).toMatchObject({
    hookSpecificOutput: {
      hookEventName: "MemorySearch",
      additionalContext: expect.stringContaining(`${agent}, said by the user) ${PROMPT.prompt}`),
    },
  });
});

it("delivers queued writes with membus outbox retry", async () => {
  await run.answer(PROMPT, ["--nats", NOWHERE]);
  const failed = await run.cli(["outbox", "retry", "--nats", NOWHERE, "--json"]);
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code: "unavailable" } });
  const retried = await run.cli(["outbox", "retry"]);
  expect(retried).toMatchObject({ code: 0, stdout: "delivered 1, refused 0, damaged 0, still queued 0\n" });
});

it("deletes nothing without the ids or --refused", async () => {
  const { code, stderr } = await run.cli(["outbox", "drop"]);
  expect(code).toBe(2);
  expect(stderr).toContain("give either ids of writes, as `membus outbox list` shows them, or --refused");
});

it.each([
  ["another agent", ["hook", "emacs"], "{}", /Allowed choices are claude-code, codex/],
  ["an unknown flag", ["hook", "codex", "--colour"], "{}", /unknown option '--colour'/],
  ["a flag out of range", ["hook", "codex", "--min-score", "2"], "{}", /minScore must be a number in 0\.\.1/],
  ["a payload that is not JSON", ["hook", "codex"], "hello", /the payload on standard input is not JSON/],
  ["a payload of another form", ["hook", "codex"], "{}", /unknown payload: hook_event_name/],
])("ends with 0 and a message for %s", async (_, args, input, message) => {
  const { code, stdout } = await run.cli(args, input);
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { systemMessage: string }).systemMessage).toMatch(message);
});

it("ignores the membus.yaml of a project, which could name another server", async () => {
  writeFileSync(join(run.project, "membus.yaml"), `nats:\n  url: ${NOWHERE}\n`);
  expect(await run.answer(PROMPT)).toEqual({});
});

it("prints nothing for an event without an answer", async () => {
  expect(await run.hook({ hook_event_name: "Notification" })).toEqual({ code: 0, stdout: "", stderr: "" });
});
