import { MemoryError } from "@membus/protocol";
import { CommanderError } from "commander";
import { expect, it, vi } from "vitest";
import { reportFailure } from "../src/terminal/report-failure.js";

/** Returns the exit code and the text on standard error. */
function report(error: unknown, json = false): [number, string] {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const exitCode = reportFailure(error, json);
  const written = write.mock.calls.map(([text]) => text).join("");
  write.mockRestore();
  return [exitCode, written];
}

it("prints the code of a memory error, and exits with 1", () => {
  const error = new MemoryError("conflict", "the entry has changed", { revision: 7 });
  expect(report(error)).toEqual([1, "membus: the entry has changed (conflict)\n"]);
  expect(report(error, true)).toEqual([
    1,
    '{"error":{"code":"conflict","message":"the entry has changed","detail":{"revision":7}}}\n',
  ]);
});

it.each([
  [
    "cannot connect",
    "connect",
    "start a host with `membus up`, or name the running nats-servers with --nats, --cluster or NATS_URL",
  ],
  [
    "JetStream did not answer: timeout",
    "jetstream",
    "start the nats-servers that are down: more than half of them must run",
  ],
])("prints a known suggestion for %j", (message, reason, advice) => {
  const error = new MemoryError("unavailable", message, { reason });
  expect(report(error)).toEqual([1, `membus: ${message} (unavailable)\n  ${advice}\n`]);
  expect(JSON.parse(report(error, true)[1])).toMatchObject({ error: { code: "unavailable", advice } });
});

it.each([
  new Error("EACCES: permission denied, open '/data/restore.partial'"),
  new MemoryError("unavailable", "failed to open the log: EROFS: read-only file system, open '/data/log'"),
])("suggests what to do about a file that this user may not use, and exits with 1: %s", (error) => {
  const [code, text] = report(error);
  expect(code).toBe(1);
  expect(text).toContain(error.message);
  expect(text).toContain(
    "run membus as the user that owns the files, or make them belong to this user with chown -R",
  );
});

it("reports incorrect usage, and exits with 2", () => {
  expect(report(new TypeError("--since is no date"))).toEqual([2, "membus: --since is no date (usage)\n"]);
  const unknown = new CommanderError(1, "commander.unknownOption", "error: unknown option '--foo'");
  expect(report(unknown)).toEqual([2, "membus: unknown option '--foo' (usage)\n"]);
  expect(report(unknown, true)).toEqual([
    2,
    '{"error":{"code":"usage","message":"unknown option \'--foo\'","detail":{}}}\n',
  ]);
});

it("prints other errors unchanged, and exits with 1", () => {
  expect(report(new Error("disk on fire"))).toEqual([1, "membus: disk on fire\n"]);
  expect(report("just a text")).toEqual([1, "membus: just a text\n"]);
});

it("adds nothing to help and version", () => {
  expect(report(new CommanderError(0, "commander.helpDisplayed", "(outputHelp)"))).toEqual([0, ""]);
  expect(report(new CommanderError(0, "commander.version", "0.1.0"))).toEqual([0, ""]);
  expect(report(new CommanderError(1, "commander.help", "(outputHelp)"))).toEqual([1, ""]);
});
