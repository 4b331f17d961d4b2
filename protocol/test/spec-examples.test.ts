import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  FILTER_OPERATORS,
  isRequestType,
  keyHash,
  MESSAGE_SCHEMAS,
  type MemoryKey,
  type Message,
  type MessageType,
  OPERATIONS,
  parseRequest,
} from "../src/index.js";
import { FEATURES } from "../src/plugin/index.js";

const SPEC = fileURLToPath(new URL("../spec/", import.meta.url));
const CHAPTERS = readdirSync(SPEC).filter((file) => file.endsWith(".md"));

const chapter = (name: string) => readFileSync(SPEC + name, "utf8");

/** All JSON messages in the chapters. */
const EXAMPLES = CHAPTERS.flatMap((file) =>
  [...chapter(file).matchAll(/```json\n([\s\S]+?)\n```/g)].map(([, text]) => JSON.parse(text!) as Message),
);

describe("messages in the chapters", () => {
  it("include every type", () => {
    expect(EXAMPLES.map(({ type }) => type).sort()).toEqual(Object.keys(MESSAGE_SCHEMAS).sort());
  });

  it.each(EXAMPLES.map((message) => [message.type as MessageType, message] as const))(
    "%s is valid",
    (type, message) => {
      if (isRequestType(type)) parseRequest(message);
      else expect(MESSAGE_SCHEMAS[type].parse(message)).toEqual(message);
    },
  );

  it("contain the correct hashes of their keys", () => {
    const shown = EXAMPLES.flatMap((message) => [
      message,
      ...((message.entries as Message[] | undefined) ?? []),
    ]);
    const hashed = shown.filter(({ key_hash }) => key_hash !== undefined);
    expect(hashed.length).toBe(2);
    for (const { key, key_hash } of hashed) expect(key_hash).toBe(keyHash(key as MemoryKey));
  });
});

describe("the chapters", () => {
  it("describe exactly the existing operations, operators and features", () => {
    const headings = [...chapter("03-operations.md").matchAll(/^## memory\/(\w+)$/gm)].map(
      ([, name]) => name,
    );
    expect(headings).toEqual([...OPERATIONS, "agents"]);
    const [, table] = chapter("03-operations.md").split("| op | value |");
    const operators = [...table!.matchAll(/^\| ((?:`\w+`,? ?)+) \| (?:string|list|boolean)/gm)];
    const names = operators.flatMap(([, row]) => [...row!.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(names.sort()).toEqual([...FILTER_OPERATORS].sort());
    const features = [...chapter("05-plugin.md").matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].map(
      ([, name]) => name,
    );
    expect(features).toEqual(Object.keys(FEATURES));
  });

  it("link to existing files", () => {
    for (const file of CHAPTERS) {
      for (const [, target] of chapter(file).matchAll(/\]\(([^)#]+)\)/g)) {
        expect(() => readFileSync(SPEC + target!), `${file}: ${target}`).not.toThrow();
      }
    }
  });
});
