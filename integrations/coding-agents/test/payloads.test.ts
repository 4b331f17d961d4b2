import { expect, it } from "vitest";
import { readPayload } from "../src/hooks/read-payload.js";
import type { AgentName } from "../src/index.js";
import { payload } from "./payloads/payload.js";

function read(name: string, changes: Readonly<Record<string, unknown>> = {}) {
  return readPayload(name.split("/")[0] as AgentName, payload(name, changes));
}

const CLAUDE = "6f0c2d1e-8a41-4e37-9d55-0b6f1c2a9e10";

it("reads the events of Claude Code", () => {
  expect(read("claude-code/session-start")).toEqual({
    name: "SessionStart",
    session: CLAUDE,
    folder: "/home/dev/shop",
    kind: "session-start",
    isCompacted: false,
  });
  expect(read("claude-code/session-start-compact")).toMatchObject({ isCompacted: true });
  expect(read("claude-code/user-prompt-submit")).toMatchObject({
    kind: "prompt",
    text: "Always use pnpm in this repository. Can you fix the build?",
    isByUser: true,
  });
  expect(read("claude-code/stop")).toMatchObject({
    kind: "stop",
    reply: "Done.\nRoot cause: the lockfile named another registry.",
  });
  expect(read("claude-code/pre-compact")).toMatchObject({ kind: "compact" });
  expect(read("claude-code/session-end")).toMatchObject({ kind: "session-end" });
  expect(read("claude-code/notification")).toMatchObject({ kind: "other" });
});

it("takes a prompt of the system for no statement of the user", () => {
  expect(read("claude-code/user-prompt-submit-system")).toMatchObject({ isByUser: false });
});

it("reads tool calls of Claude Code: commands, edited files and failures", () => {
  expect(read("claude-code/post-tool-use-bash")).toMatchObject({
    call: { tool: "Bash", command: "pnpm test", files: [], output: "12 passed", isFailed: false },
  });
  expect(read("claude-code/post-tool-use-edit")).toMatchObject({
    call: { tool: "Edit", command: undefined, files: ["/home/dev/shop/src/cart.ts"], isFailed: false },
  });
  expect(read("claude-code/post-tool-use-failure")).toMatchObject({
    call: { command: "pnpm tset", isFailed: true },
  });
  expect(read("claude-code/post-tool-use-interrupt")).toMatchObject({ kind: "other" });
});

it("reads the events of Codex", () => {
  expect(read("codex/session-start")).toMatchObject({ kind: "session-start" });
  expect(read("codex/user-prompt-submit")).toMatchObject({ kind: "prompt", isByUser: true });
  expect(read("codex/pre-compact")).toMatchObject({ kind: "compact" });
  expect(read("codex/stop")).toMatchObject({ kind: "stop", reply: "Done." });
});

it("reads tool calls of Codex: outputs without an exit code, and patches of several files", () => {
  expect(read("codex/post-tool-use-bash")).toMatchObject({
    call: { command: "cargo build --features sqlite", isFailed: false },
  });
  expect(read("codex/post-tool-use-bash-failed")).toMatchObject({
    call: { command: "cargo build", isFailed: true },
  });
  expect(read("codex/post-tool-use-patch")).toMatchObject({
    call: { command: undefined, files: ["src/cart.ts", "src/tax.ts"], isFailed: false },
  });
});

it.each([
  ["an exit code", { exit_code: 2, output: "x" }, true],
  ["exit code 0 and words of errors", { exit_code: 0, output: "error: none" }, false],
  ["an error mark", { is_error: true }, true],
])("decides by %s of a response", (_, response, isFailed) => {
  expect(read("codex/post-tool-use-bash", { tool_response: response })).toMatchObject({
    call: { isFailed },
  });
});

it.each([[null], [[]], [{}], ["text"], [{ hook_event_name: "Stop", session_id: 1, cwd: "/" }]])(
  "rejects the payload %j",
  (input) => {
    expect(() => readPayload("codex", input)).toThrow(/^unknown payload: /);
    expect(() => readPayload("hermes", input)).toThrow(/^unknown payload: /);
  },
);

it("reads the events of the memory provider for Hermes Agent", () => {
  expect(read("hermes/session-start")).toEqual({
    name: "session_start",
    session: "20261127_101500_a1b2c3",
    folder: "/home/dev/shop",
    kind: "session-start",
    isCompacted: false,
  });
  expect(read("hermes/turn-start")).toMatchObject({
    person: "telegram:4711",
    kind: "prompt",
    isByUser: false,
  });
  expect(read("hermes/session-start", { event: "session_end" })).toMatchObject({ kind: "session-end" });
  const remember = { event: "remember", text: " tabs ", about: "user" };
  expect(read("hermes/session-start", remember)).toMatchObject({ text: "tabs", isGlobal: true });
  expect(read("hermes/session-start", { event: "recall", query: "tabs" })).toMatchObject({ query: "tabs" });
  expect(read("hermes/session-start", { event: "forget", id: "b8719505" })).toMatchObject({ id: "b8719505" });
});

it("reads a turn of Hermes Agent: prompt, tool calls and reply", () => {
  expect(read("hermes/turn-end")).toMatchObject({
    kind: "turn",
    events: [
      { kind: "prompt", text: "Always use pnpm in this repository. Fix the build.", isByUser: true },
      { kind: "tool", call: { command: "pnpm tset", output: "Missing script: tset", isFailed: true } },
      { kind: "tool", call: { tool: "terminal", command: "pnpm test", isFailed: false } },
      { kind: "tool", call: { command: undefined, files: ["src/cart.ts"] } },
      { kind: "tool", call: { command: undefined, files: ["src/tax.ts"] } },
      { kind: "stop", reply: "Root cause: a typing error in the script." },
    ],
  });
});

it.each([
  [{ event: "forget", id: "b87" }],
  [{ event: "remember", text: " " }],
  [{ event: "remember", text: "x".repeat(4_001) }],
  [{ event: "recall" }],
])("rejects %j of Hermes Agent", (changes) => {
  expect(() => read("hermes/session-start", changes)).toThrow(/^unknown payload: /);
});
