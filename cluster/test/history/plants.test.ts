import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { PLANTS, type SourceEdit } from "./plants.js";

const ROOT = new URL("../../../", import.meta.url);

it.each(Object.entries<readonly SourceEdit[]>(PLANTS))("the fault %s fits the sources", (_, edits) => {
  for (const { file, from } of edits)
    expect(readFileSync(new URL(file, ROOT), "utf8").split(from), file).toHaveLength(2);
});
