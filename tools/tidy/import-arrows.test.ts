import { expect, it } from "vitest";
import { PACKAGES, type Package, SOURCES } from "./repository.js";
import { checkImportArrows } from "./rules/import-arrows.js";
import { parseSource } from "./syntax.js";

const PACKAGES_OF_EXAMPLE: Package[] = [
  ["protocol", "@x/protocol"],
  ["bus", "@x/bus"],
  ["host", "@x/host"],
  ["plugins/kit", "@x/kit"],
  ["plugins/lru", "@x/lru"],
  ["cli", "x"],
  ["web", "@x/web"],
  ["gateway", "@x/gateway"],
  ["inspector", "@x/inspector"],
  ["integrations/one", "@x/one"],
  ["integrations/mcp", "@x/mcp"],
].map(([folder, name]) => ({
  folder: folder!,
  manifest: {
    name: name!,
    version: "1.0.0",
    exports: {
      ".": { "membus-source": "./src/index.ts" },
      "./answers": { "membus-source": "./src/answers.ts" },
    },
  },
}));

const check = (path: string, code: string) => checkImportArrows(parseSource(path, code), PACKAGES_OF_EXAMPLE);

it("holds in every src file", () => {
  expect(SOURCES.flatMap((source) => checkImportArrows(source, PACKAGES))).toEqual([]);
});

it("finds an import against the arrows, however it is written", () => {
  const code = [
    'import { a } from "@x/host";',
    'import type { B } from "@x/host";',
    'export * from "@x/host";',
    'export type C = import("@x/host").C;',
    'await import("@x/host");',
    'require("@x/host");',
    "await import(`@x/host`);",
  ];
  const expected = code.map((_, index) => `bus/src/a.ts:${index + 1} bus may not import host, only protocol`);
  expect(check("bus/src/a.ts", code.join("\n"))).toEqual(expected);
});

it.each([
  ["protocol/src/a.ts", "@x/bus", ["protocol/src/a.ts:1 protocol may not import bus, only nothing of ours"]],
  ["host/src/a.ts", "@x/lru", ["host/src/a.ts:1 host may not import plugins/lru, only protocol, bus"]],
  [
    "plugins/lru/src/a.ts",
    "@x/bus",
    ["plugins/lru/src/a.ts:1 plugins/lru may not import bus, only protocol, plugins/disk, plugins/kit"],
  ],
  [
    "host/src/a.ts",
    "../../bus/src/b.js",
    ["host/src/a.ts:1 ../../bus/src/b.js leaves the package: import it by name"],
  ],
  ["host/src/a.ts", "@x/bus/src/b.js", ["host/src/a.ts:1 @x/bus/src/b.js is not exported: import @x/bus"]],
  [
    "web/src/a.ts",
    "@x/protocol",
    ["web/src/a.ts:1 web has no arrows: say in import-arrows what it may import"],
  ],
  [
    "inspector/src/a.ts",
    "@x/gateway",
    ["inspector/src/a.ts:1 inspector may not import gateway, only gateway/answers"],
  ],
  [
    "integrations/one/src/a.ts",
    "@x/gateway",
    [
      "integrations/one/src/a.ts:1 integrations/one may not import gateway, only protocol, agent-client, agentic",
    ],
  ],
  ["integrations/one/src/a.ts", "@x/protocol", []],
  ["gateway/src/a.ts", "@x/mcp", []],
  [
    "gateway/src/a.ts",
    "@x/one",
    [
      "gateway/src/a.ts:1 gateway may not import integrations/one, only protocol, agent-client, agentic, integrations/mcp",
    ],
  ],
  ["inspector/src/a.ts", "@x/gateway/answers", []],
  ["cli/src/a.ts", "@x/gateway/answers", []],
  ["host/src/a.ts", "@x/bus", []],
  ["host/src/b/a.ts", "../a.js", []],
  ["cli/src/a.ts", "@x/lru", []],
  ["plugins/lru/src/a.ts", "@x/kit", []],
  ["protocol/test/a.ts", "@x/host", []],
  ["protocol/src/a.ts", "zod", []],
])("judges in %s the import of %s", (path, specifier, expected) => {
  expect(check(path, `import "${specifier}";`)).toEqual(expected);
});

it("finds a computed import, except where everything may be imported", () => {
  expect(check("host/src/a.ts", "await import(name);")).toEqual([
    "host/src/a.ts:1 imports a computed name, which no rule sees",
  ]);
  expect(check("cli/src/a.ts", "await import(name);")).toEqual([]);
});
