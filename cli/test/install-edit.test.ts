import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { hookEntry, serverEntry } from "../src/install/launch.js";
import { JSON_SYNTAX } from "../src/install/syntax/json.js";
import type { ConfigSyntax, Entry } from "../src/install/syntax/syntax.js";
import { TOML_SYNTAX } from "../src/install/syntax/toml.js";
import { YAML_SYNTAX } from "../src/install/syntax/yaml.js";
import { applyEdits, undoEdits } from "../src/install/text-edit.js";

const SERVER = { command: "/node", args: ["/membus-mcp.js"] };
const JSON_ENTRY = serverEntry(["mcpServers"], SERVER);
const HOOK = hookEntry("Stop", { command: "/node", args: ["/membus.js", "hook", "codex"] });
const TABLE_ENTRY = serverEntry(["mcp_servers"], SERVER);

function inserted(syntax: ConfigSyntax, text: string, entry: Entry): string {
  const edits = syntax.insert(text, entry);
  const after = applyEdits(text, edits);
  expect(undoEdits(after, edits)).toBe(text);
  expect(syntax.find(after, entry)).toEqual([entry.value]);
  return after;
}

function removed(syntax: ConfigSyntax, text: string, entry: Entry): string {
  return applyEdits(text, syntax.remove(text, entry));
}

describe("JSON", () => {
  it("adds the server below the last one, with the indent of the file", () => {
    const text =
      '{\n\t"mcpServers": {\n\t\t"git": { "command": "git" } // mine\n\t},\n\t"theme": "dark"\n}\n';
    expect(inserted(JSON_SYNTAX, text, JSON_ENTRY)).toBe(
      '{\n\t"mcpServers": {\n\t\t"git": { "command": "git" }, // mine\n' +
        '\t\t"membus": {\n\t\t\t"command": "/node",\n\t\t\t"args": [\n\t\t\t\t"/membus-mcp.js"\n\t\t\t]\n\t\t}\n' +
        '\t},\n\t"theme": "dark"\n}\n',
    );
  });

  it("creates missing parents after the last member, and keeps CRLF and a missing end of line", () => {
    const text = '{\r\n    "a": 1\r\n    /* last */\r\n}';
    expect(inserted(JSON_SYNTAX, text, JSON_ENTRY)).toBe(
      '{\r\n    "a": 1,\r\n    /* last */\r\n    "mcpServers": {\r\n        "membus": {\r\n' +
        '            "command": "/node",\r\n            "args": [\r\n                "/membus-mcp.js"\r\n' +
        "            ]\r\n        }\r\n    }\r\n}",
    );
  });

  it.each([
    ["an empty file", "", '{\n  "hooks": {\n    "Stop": [\n'],
    ["an empty object", "{}", '{\n  "hooks": {\n    "Stop": [\n'],
    ["a comment", "// mine", '// mine\n{\n  "hooks": {\n    "Stop": [\n'],
  ])("writes into %s", (_, text, start) => {
    expect(inserted(JSON_SYNTAX, text, HOOK).startsWith(start)).toBe(true);
  });

  it("keeps one line on one line", () => {
    expect(inserted(JSON_SYNTAX, '{"mcpServers":{"a":{}}}', JSON_ENTRY)).toBe(
      '{"mcpServers":{"a":{}, "membus": {"command":"/node","args":["/membus-mcp.js"]}}}',
    );
  });

  it("adds no second comma after a trailing comma", () => {
    const after = inserted(JSON_SYNTAX, '{\n  "a": 1,\n}\n', JSON_ENTRY);
    expect(after.startsWith('{\n  "a": 1,\n  "mcpServers": {')).toBe(true);
  });

  it("removes the server, and keeps comments and members around it", () => {
    const text =
      '{\n  "mcpServers": {\n    "a": {}, // first\n    "membus": {},\n    // second\n    "b": {}\n  }\n}\n';
    expect(removed(JSON_SYNTAX, text, JSON_ENTRY)).toBe(
      '{\n  "mcpServers": {\n    "a": {}, // first\n    // second\n    "b": {}\n  }\n}\n',
    );
  });

  it("removes the comma before the server if the server is the last one", () => {
    const text = '{\n  "mcpServers": {\n    "a": {}, // first\n    "membus": {}\n  }\n}\n';
    expect(removed(JSON_SYNTAX, text, JSON_ENTRY)).toBe(
      '{\n  "mcpServers": {\n    "a": {} // first\n  }\n}\n',
    );
  });

  it("removes the server from a line with other members", () => {
    expect(removed(JSON_SYNTAX, '{"mcpServers": {"membus": {}, "a": 1}}', JSON_ENTRY)).toBe(
      '{"mcpServers": {"a": 1}}',
    );
  });

  it("removes all hooks of membus, and no hook of the user", () => {
    const text = JSON.stringify({
      hooks: {
        Stop: [
          HOOK.value,
          { hooks: [{ type: "command", command: "membus remember done yes" }] },
          { hooks: [{ type: "command", command: "'/old node' '/old path/membus.js' hook codex" }] },
          {
            hooks: [
              { type: "command", command: "npx membus hook codex" },
              { type: "command", command: "mine" },
            ],
          },
        ],
      },
    });
    expect(JSON.parse(removed(JSON_SYNTAX, text, HOOK)).hooks.Stop).toEqual([
      { hooks: [{ type: "command", command: "membus remember done yes" }] },
      {
        hooks: [
          { type: "command", command: "npx membus hook codex" },
          { type: "command", command: "mine" },
        ],
      },
    ]);
  });

  it.each([
    ['{\n  "a": 1,\n  b: 2\n}', "InvalidSymbol", { line: 3, column: 3 }],
    ["[]", "the root is not an object", { line: 1, column: 1 }],
    ['{\n  "mcpServers": [] }', '"mcpServers" is not an object', { line: 2, column: 17 }],
    ['{ "mcpServers": {}, "mcpServers": {} }', 'the key "mcpServers" appears twice', { line: 1, column: 21 }],
  ])("refuses %j", (text, message, position) => {
    expect(() => JSON_SYNTAX.insert(text, JSON_ENTRY)).toThrow(
      expect.objectContaining({ message, position }),
    );
  });

  it("changes only its entry, in any document", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.constantFrom(undefined, 2, 4, "\t"),
        (members, servers, indent) => {
          const document = { ...members, ...(servers && { mcpServers: servers }) };
          fc.pre(servers !== null || !("mcpServers" in members));
          fc.pre(!(servers && "membus" in servers));
          const text = JSON.stringify(document, undefined, indent);
          fc.pre(!text.includes("__proto__"));
          const before = JSON.parse(text);
          const after = inserted(JSON_SYNTAX, text, JSON_ENTRY);
          const expected = { ...before, mcpServers: { ...before.mcpServers, membus: SERVER } };
          expect(JSON.parse(after)).toEqual(expected);
          const left = JSON.parse(removed(JSON_SYNTAX, after, JSON_ENTRY));
          expect(left).toEqual({ ...before, mcpServers: { ...before.mcpServers } });
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe("TOML", () => {
  const TABLE = '[mcp_servers.membus]\ncommand = "/node"\nargs = [ "/membus-mcp.js" ]\n';

  it("adds a table at the end", () => {
    const text = 'model = "x" # mine\n\n[mcp_servers.git]\ncommand = "git"';
    expect(inserted(TOML_SYNTAX, text, TABLE_ENTRY)).toBe(`${text}\n\n${TABLE}`);
    expect(inserted(TOML_SYNTAX, "", TABLE_ENTRY)).toBe(TABLE);
  });

  it("removes the table and its subtables, and keeps the comment of the next table", () => {
    const text = `a = 1\n\n${TABLE}\n[mcp_servers.membus.env]\nX = "[y]"\n\n# about b\n[b]\nc = '''\n[mcp_servers.membus]\n'''\n`;
    expect(removed(TOML_SYNTAX, text, TABLE_ENTRY)).toBe(
      "a = 1\n\n# about b\n[b]\nc = '''\n[mcp_servers.membus]\n'''\n",
    );
  });

  it.each([
    ["a = 1\nb = [", { line: 2 }],
    ['mcp_servers = { git = { command = "git" } }\n', undefined],
  ])("refuses %j", (text, position) => {
    const expected =
      position === undefined
        ? { message: "cannot edit mcp_servers.membus in this layout: write it as a block of lines" }
        : { position: expect.objectContaining(position) };
    expect(() => TOML_SYNTAX.insert(text, TABLE_ENTRY)).toThrow(expect.objectContaining(expected));
  });

  it("refuses a removal that would change another value", () => {
    const text = `[a]\nb = '''\n[mcp_servers.membus]\nx = 1\n'''\n[mcp_servers]\nmembus = { command = "/membus-mcp.js" }\n`;
    expect(() => TOML_SYNTAX.remove(text, TABLE_ENTRY)).toThrow(
      "cannot edit mcp_servers.membus in this layout",
    );
  });

  it("reads the table that it has written", () => {
    expect(parseToml(inserted(TOML_SYNTAX, "x = 1\r\n", TABLE_ENTRY))).toEqual({
      x: 1,
      mcp_servers: { membus: SERVER },
    });
  });
});

describe("YAML", () => {
  const BLOCK = "  membus:\n    command: /node\n    args:\n      - /membus-mcp.js\n";

  it.each([
    ["no file", "", `mcp_servers:\n${BLOCK}`],
    ["other settings", "model: x # mine", `model: x # mine\nmcp_servers:\n${BLOCK}`],
    ["an empty mapping", "mcp_servers: {} # none\nb: 1\n", undefined],
    ["a key without a value", "mcp_servers:\nb: 1\n", `mcp_servers:\n${BLOCK}b: 1\n`],
    [
      "another server",
      "mcp_servers: # all\n    # git\n    git:\n        command: git\n",
      "mcp_servers: # all\n    membus:\n      command: /node\n      args:\n        - /membus-mcp.js\n    # git\n    git:\n        command: git\n",
    ],
  ])("adds the server to %s", (_, text, expected) => {
    const after = inserted(YAML_SYNTAX, text, TABLE_ENTRY);
    if (expected !== undefined) expect(after).toBe(expected);
    expect(parseYaml(after).mcp_servers.membus).toEqual(SERVER);
  });

  it("removes the server, and the key that is empty then", () => {
    const text = `a: 1\nmcp_servers:\n${BLOCK}# end\n`;
    const left = removed(YAML_SYNTAX, text, TABLE_ENTRY);
    expect(left).toBe("a: 1\nmcp_servers:\n# end\n");
    expect(applyEdits(left, YAML_SYNTAX.removeEmpty(left, ["mcp_servers"]))).toBe("a: 1\n# end\n");
  });

  it("refuses invalid text, with the position", () => {
    expect(() => YAML_SYNTAX.insert("a: [1\nb: 2\n", TABLE_ENTRY)).toThrow(
      expect.objectContaining({ position: expect.objectContaining({ line: 2 }) }),
    );
  });

  it("refuses a mapping in braces with servers", () => {
    expect(() => YAML_SYNTAX.insert("mcp_servers: { a: { command: b } }\n", TABLE_ENTRY)).toThrow(
      "cannot edit mcp_servers.membus in this layout",
    );
  });
});
