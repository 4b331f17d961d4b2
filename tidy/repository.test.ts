import { expect, it } from "vitest";
import { FILES, PACKAGES, SOURCES } from "./repository.js";

it("reads the packages, the sources and the tests, and nothing that is installed or built", () => {
  expect(PACKAGES.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(["protocol", "plugins/kit", "cli"]),
  );
  const paths = SOURCES.map(({ fileName }) => fileName);
  expect(paths).toEqual(expect.arrayContaining(["protocol/src/index.ts", "tidy/repository.test.ts"]));
  expect(FILES).toEqual(expect.arrayContaining(["package.json", "STYLE.md", ".ci/run"]));
  expect(FILES.filter((path) => /node_modules|(^|\/)dist\//.test(path))).toEqual([]);
});
