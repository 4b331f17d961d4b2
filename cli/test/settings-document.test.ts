import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { ConfigSchema } from "../src/config/config-schema.js";
import { ENVIRONMENT } from "../src/config/environment.js";

const DOCUMENT = readFileSync(new URL("../../docs/reference/settings.md", import.meta.url), "utf8");
const [, ALL] = /## All\n([\s\S]+?)\n## /.exec(DOCUMENT)!;

it("lists every setting of membus.yaml", () => {
  const { nats, ...rest } = ConfigSchema.shape;
  const names = [...Object.keys(nats.unwrap().shape).map((name) => `nats.${name}`), ...Object.keys(rest)];
  expect(names.filter((name) => !ALL!.includes(`\`${name}\``))).toEqual([]);
});

it("lists every environment variable with its setting", () => {
  const rows = ALL!.split("\n").map((row) => row.split(" | "));
  const isBeside = (variable: string, setting: string) =>
    rows.some((cells) => cells[0]!.includes(`\`${setting}\``) && cells[1]?.includes(`\`${variable}\``));
  expect(Object.entries(ENVIRONMENT).filter(([variable, setting]) => !isBeside(variable, setting))).toEqual(
    [],
  );
});
