import { expect, it } from "vitest";
import { SOURCES } from "./repository.js";
import { checkDeclaredNames, checkFileName } from "./rules/names.js";
import { parseSource } from "./syntax.js";

it("all file names are kebab-case and name a concept", () => {
  expect(SOURCES.flatMap(({ fileName }) => checkFileName(fileName))).toEqual([]);
});

it("all declared names name a concept", () => {
  expect(SOURCES.flatMap(checkDeclaredNames)).toEqual([]);
});

it.each([
  ["a/src/nats-bus.ts", []],
  ["a/test/nats-bus.slow.test.ts", []],
  ["a/test/nats-bus.alone.test.ts", []],
  ["a/test/nats-bus.suite.test.ts", []],
  ["vitest.config.ts", []],
  ["a/src/message-types.ts", []],
  ["a/src/natsBus.ts", ["a/src/natsBus.ts:1 is not kebab-case"]],
  ["a/src/nats_bus.ts", ["a/src/nats_bus.ts:1 is not kebab-case"]],
  ["a/src/types.ts", ["a/src/types.ts:1 move the types to the modules that they describe"]],
  ["a/src/utils.ts", ['a/src/utils.ts:1 "utils" is a generic word: name the concept']],
  ["a/helpers/time.ts", ['a/helpers/time.ts:1 "helpers" is a generic word: name the concept']],
  ["a/src/session-manager.ts", ['a/src/session-manager.ts:1 "manager" is a generic word: name the concept']],
  ["a/src/bus-impl.ts", ['a/src/bus-impl.ts:1 "impl" is a generic word: name the concept']],
])("checks the file name %s", (path, expected) => {
  expect(checkFileName(path)).toEqual(expected);
});

it("finds generic declared names", () => {
  const code = "class BusImpl {}\ninterface SessionManager {}\ntype TimeUtils = {};\nclass Implement {}";
  expect(checkDeclaredNames(parseSource("a.ts", code))).toEqual([
    "a.ts:1 BusImpl ends with a generic word: name the concept",
    "a.ts:2 SessionManager ends with a generic word: name the concept",
    "a.ts:3 TimeUtils ends with a generic word: name the concept",
  ]);
});
