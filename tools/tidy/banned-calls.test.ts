import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkBannedCalls } from "./rules/banned-calls.js";
import { parseSource } from "./syntax.js";

const check = (path: string, code: string) => checkBannedCalls(parseSource(path, code));

it("no src file contains a banned call", () => {
  expect(SOURCES.flatMap(checkBannedCalls)).toEqual([]);
});

it.each([
  ["Date.now()", "Date.now: take a Clock and call its now()"],
  ["const now = Date.now;", "Date.now: take a Clock and call its now()"],
  ["new Date()", "new Date(): take a Clock and call its now()"],
  ["new Date", "new Date: take a Clock and call its now()"],
  ["performance.now()", "performance.now: take a Clock and call its now()"],
  ["process.hrtime.bigint()", "process.hrtime: take a Clock and call its now()"],
  ["setTimeout(run, 1)", "setTimeout: take a Clock and call its after(), or delay()"],
  ["globalThis.setInterval(run, 1)", "globalThis.setInterval: take a Clock and call its after(), or delay()"],
  ["AbortSignal.timeout(1)", "AbortSignal.timeout: take a Clock and call its after(), or delay()"],
  [
    'import { setTimeout as wait } from "node:timers/promises"',
    "setTimeout as wait: take a Clock and call its after(), or delay()",
  ],
  ["Math.random()", "Math.random: use node:crypto"],
  ['console.log("a")', "console: take a Logger"],
  ["process.env.HOME", "process.env: take an option"],
  ["process.argv[2]", "process.argv: take an option"],
])("finds %s", (code, problem) => {
  expect(check("host/src/a.ts", code)).toEqual([`host/src/a.ts:1 ${problem}`]);
});

it.each([
  "new Date(0)",
  "Date.parse(text)",
  "clock.now()",
  "socket.setTimeout(1)",
  "interface A { setTimeout(): void }",
])("allows %s", (code) => {
  expect(check("host/src/a.ts", code)).toEqual([]);
});

it("allows timers in clock files, and the console and process settings in command-line packages", () => {
  const code = "performance.now(); setTimeout(run, 1); console.log(process.argv); Math.random();";
  expect(check("protocol/src/clock.ts", code)).toHaveLength(3);
  expect(check("cli/src/a.ts", code)).toHaveLength(3);
  expect(check("tools/bench/src/a.ts", code)).toHaveLength(3);
  expect(check("host/src/clock.ts", code)).toHaveLength(5);
  expect(check("host/test/a.test.ts", code)).toEqual([]);
});
