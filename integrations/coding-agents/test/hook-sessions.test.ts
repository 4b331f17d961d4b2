import { expect, it } from "vitest";
import { HookSessions } from "../src/plugins/hook-sessions.js";

const PLACE = { session: "s-1", folder: process.cwd() };
const CALL = { tool: "read", input: {}, output: "" };

/** Starts sessions of a command that prints an answer. */
function sessionsOf(answer: unknown) {
  const notices: string[] = [];
  const program = `process.stdin.resume().on("end", () => console.log(${JSON.stringify(JSON.stringify(answer))}))`;
  const notify = (message: string) => notices.push(message);
  return { notices, sessions: new HookSessions([process.execPath, "-e", program], notify) };
}

it("does not reject an event that cannot be sent", async () => {
  const { sessions, notices } = sessionsOf({});
  await sessions.prompt(PLACE, "Hello", true);
  await sessions.tool("s-1", { ...CALL, output: undefined as never });
  await sessions.tool("s-1", { ...CALL, input: 1n });
  expect(notices).toHaveLength(2);
  expect(notices[1]).toBe("membus: Do not know how to serialize a BigInt");
});

it("does not reject an answer that is no object", async () => {
  const { sessions, notices } = sessionsOf(null);
  await sessions.prompt(PLACE, "Hello", true);
  expect(notices[0]).toMatch(/^membus: .*null/);
});
