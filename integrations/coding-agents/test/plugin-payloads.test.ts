import { expect, it } from "vitest";
import { readPayload } from "../src/hooks/read-payload.js";

const ORIGIN = { session_id: "s-1", cwd: "/home/dev/shop" };

function read(fields: Readonly<Record<string, unknown>>, agent: "opencode" | "openclaw" | "pi" = "opencode") {
  return readPayload(agent, { ...ORIGIN, ...fields });
}

function readCall(agent: "opencode" | "openclaw" | "pi", tool: string, input: object, response: object) {
  const call = { tool_name: tool, tool_input: input, tool_response: response };
  return read({ hook_event_name: "PostToolUse", ...call }, agent);
}

it("reads commands of the tools of OpenCode, pi and OpenClaw", () => {
  const input = { command: "pnpm tset" };
  const failed = { call: { command: "pnpm tset", output: "Unknown command", isFailed: true } };
  const byCode = { output: "Unknown command", exit_code: 254 };
  expect(readCall("opencode", "bash", input, byCode)).toMatchObject(failed);
  expect(readCall("openclaw", "exec", input, byCode)).toMatchObject(failed);
  expect(readCall("pi", "bash", input, { output: "Unknown command", is_error: true })).toMatchObject(failed);
  expect(readCall("pi", "powershell", input, { output: "12 passed", is_error: false })).toMatchObject({
    call: { command: "pnpm tset", isFailed: false },
  });
});

it("reads files that the tools of OpenCode, pi and OpenClaw have changed", () => {
  const done = { output: "done" };
  const patch = "*** Begin Patch\n*** Update File: src/cart.ts\n*** Add File: src/tax.ts\n*** End Patch";
  expect(readCall("opencode", "edit", { filePath: "/home/dev/shop/a.ts" }, done)).toMatchObject({
    call: { files: ["/home/dev/shop/a.ts"] },
  });
  expect(readCall("pi", "write", { path: "a.ts" }, done)).toMatchObject({ call: { files: ["a.ts"] } });
  expect(readCall("opencode", "apply_patch", { patchText: patch }, done)).toMatchObject({
    call: { files: ["src/cart.ts", "src/tax.ts"] },
  });
  expect(readCall("openclaw", "apply_patch", { input: patch }, done)).toMatchObject({
    call: { files: ["src/cart.ts", "src/tax.ts"] },
  });
});

it("takes no file from a failed edit", () => {
  expect(readCall("pi", "edit", { path: "a.ts" }, { output: "no match", is_error: true })).toMatchObject({
    call: { files: [] },
  });
});

it("reads the requests of memory tools", () => {
  expect(read({ hook_event_name: "MemorySearch", prompt: " pnpm " })).toMatchObject({
    kind: "recall",
    query: "pnpm",
  });
  expect(read({ hook_event_name: "MemoryStore", prompt: "Builds need Node 22." })).toMatchObject({
    kind: "remember",
    text: "Builds need Node 22.",
  });
  expect(read({ hook_event_name: "MemoryForget", prompt: "b8719505" })).toMatchObject({
    kind: "forget",
    id: "b8719505",
  });
});

it.each([
  ["MemorySearch", "  ", "unknown query: Too small"],
  ["MemoryStore", "a".repeat(4_001), "unknown text: Too big"],
  ["MemoryForget", "all", "unknown id: Invalid string"],
  ["MemoryForget", "b87", "unknown id: Invalid string"],
])("says why the input of %s is not allowed", (name, prompt, problem) => {
  expect(() => read({ hook_event_name: name, prompt })).toThrow(problem);
});

it("reads the person who has written a message", () => {
  const prompt = { hook_event_name: "UserPromptSubmit", prompt: "Hello", person: "telegram:direct:42" };
  expect(read(prompt, "openclaw")).toMatchObject({ person: "telegram:direct:42" });
});
