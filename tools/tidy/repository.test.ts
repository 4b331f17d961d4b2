import { expect, it } from "vitest";
import { FILES, PACKAGES, SOURCES } from "./repository.js";

const missing = (expected: readonly string[], paths: readonly string[]) =>
  expected.filter((path) => !paths.includes(path));

it("reads packages, sources and tests, but no installed or built files", () => {
  const folders = PACKAGES.map(({ folder }) => folder);
  const sources = SOURCES.map(({ fileName }) => fileName);
  expect(missing(["protocol", "plugins/kit", "cli"], folders)).toEqual([]);
  expect(missing(["protocol/src/index.ts", "tools/tidy/repository.test.ts"], sources)).toEqual([]);
  expect(missing(["package.json", "README.md", ".ci/run"], FILES)).toEqual([]);
  expect(FILES.filter((path) => /node_modules|(^|\/)dist\//.test(path))).toEqual([]);
});
