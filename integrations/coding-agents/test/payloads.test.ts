import { expect, it } from "vitest";
import { readPayload } from "../src/hooks/read-payload.js";
import { payload } from "./payloads/payload.js";

const CLAUDE = "6f0c2d1e-8a41-4e37-9d55-0b6f1c2a9e10";

it("reads the events of Claude Code", () => {
  expect(readPayload(payload("claude-code/session-start"))).toEqual({
    name: "SessionStart",
    session: CLAUDE,
    folder: "/home/dev/shop",
    kind: "session-start",
    isCompacted: false,
  });
  expect(readPayload(payload("claude-code/session-start-compact"))).toMatchObject({ isCompacted: true });
  expect(readPayload(payload("claude-code/user-prompt-submit"))).toMatchObject({
    kind: "prompt",
    text: "Always use pnpm in this repository. Can you fix the build?",
    isByUser: true,
  });
  expect(readPayload(payload("claude-code/stop"))).toMatchObject({
    kind: "stop",
    reply: "Done.\nRoot cause: the lockfile named another registry.",
  });
  expect(readPayload(payload("claude-code/pre-compact"))).toMatchObject({ kind: "compact" });
  expect(readPayload(payload("claude-code/session-end"))).toMatchObject({ kind: "session-end" });
  expect(readPayload(payload("claude-code/notification"))).toMatchObject({ kind: "other" });
});

it("takes a prompt of the system for no statement of the user", () => {
  expect(readPayload(payload("claude-code/user-prompt-submit-system"))).toMatchObject({ isByUser: false });
});

it("reads tool calls of Claude Code: commands, edited files and failures", () => {
  expect(readPayload(payload("claude-code/post-tool-use-bash"))).toMatchObject({
    call: { tool: "Bash", command: "pnpm test", files: [], output: "12 passed", isFailed: false },
  });
  expect(readPayload(payload("claude-code/post-tool-use-edit"))).toMatchObject({
    call: { tool: "Edit", command: undefined, files: ["/home/dev/shop/src/cart.ts"], isFailed: false },
  });
  expect(readPayload(payload("claude-code/post-tool-use-failure"))).toMatchObject({
    call: { command: "pnpm tset", isFailed: true },
  });
  expect(readPayload(payload("claude-code/post-tool-use-interrupt"))).toMatchObject({ kind: "other" });
});

it("reads the events of Codex", () => {
  expect(readPayload(payload("codex/session-start"))).toMatchObject({ kind: "session-start" });
  expect(readPayload(payload("codex/user-prompt-submit"))).toMatchObject({ kind: "prompt", isByUser: true });
  expect(readPayload(payload("codex/pre-compact"))).toMatchObject({ kind: "compact" });
  expect(readPayload(payload("codex/stop"))).toMatchObject({ kind: "stop", reply: "Done." });
});

it("reads tool calls of Codex: outputs without an exit code, and patches of several files", () => {
  expect(readPayload(payload("codex/post-tool-use-bash"))).toMatchObject({
    call: { command: "cargo build --features sqlite", isFailed: false },
  });
  expect(readPayload(payload("codex/post-tool-use-bash-failed"))).toMatchObject({
    call: { command: "cargo build", isFailed: true },
  });
  expect(readPayload(payload("codex/post-tool-use-patch"))).toMatchObject({
    call: { command: undefined, files: ["src/cart.ts", "src/tax.ts"], isFailed: false },
  });
});

it.each([
  ["an exit code", { exit_code: 2, output: "x" }, true],
  ["exit code 0 and words of errors", { exit_code: 0, output: "error: none" }, false],
  ["an error mark", { is_error: true }, true],
])("decides by %s of a response", (_, response, isFailed) => {
  expect(readPayload(payload("codex/post-tool-use-bash", { tool_response: response }))).toMatchObject({
    call: { isFailed },
  });
});

it.each([[null], [[]], [{}], ["text"], [{ hook_event_name: "Stop", session_id: 1, cwd: "/" }]])(
  "rejects the payload %j",
  (input) => {
    expect(() => readPayload(input)).toThrow(/^unknown payload: /);
  },
);
