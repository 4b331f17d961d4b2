import { expect, it } from "vitest";
import {
  FILES,
  type Manifest,
  PACKAGES,
  type Package,
  ROOT_MANIFEST,
  readJson,
  readText,
} from "./repository.js";
import { checkReferences, checkSharedFields, checkVersionFile } from "./rules/manifests.js";

const ROOT: Manifest = {
  name: "root",
  version: "1.0.0",
  type: "module",
  engines: { node: ">=20" },
  workspaces: ["a", "b"],
};

const aPackage = (fields: Partial<Manifest>): Package => ({
  folder: "a",
  manifest: { ...ROOT, name: "@x/a", ...fields },
});

it("all packages share version, licence, module type and engines", () => {
  expect(checkSharedFields(ROOT_MANIFEST, PACKAGES)).toEqual([]);
});

it("tsc builds all packages", () => {
  expect(
    checkReferences(ROOT_MANIFEST, readJson<{ references: [] }>("tsconfig.packages.json").references),
  ).toEqual([]);
});

it("version.ts files contain the version of the packages", () => {
  const paths = FILES.filter((path) => path.endsWith("/version.ts"));
  expect(paths.flatMap((path) => checkVersionFile(path, readText(path), ROOT_MANIFEST.version))).toEqual([]);
});

it("finds package fields that differ from the root manifest", () => {
  expect(checkSharedFields(ROOT, [aPackage({})])).toEqual([]);
  expect(checkSharedFields(ROOT, [aPackage({ version: "1.0.1", engines: { node: ">=22" } })])).toEqual([
    'a/package.json: version is "1.0.1", expected "1.0.0" as in the root',
    'a/package.json: engines is {"node":">=22"}, expected {"node":">=20"} as in the root',
  ]);
});

it("finds packages that tsc does not build, and references that are not workspaces", () => {
  expect(checkReferences(ROOT, [{ path: "a" }, { path: "c" }])).toEqual([
    "tsconfig.packages.json: reference to workspace b is missing",
    "tsconfig.packages.json: c is not a workspace",
  ]);
});

it("finds a different version in a version.ts file", () => {
  const text = 'export const A_VERSION = "1.0.0";';
  expect(checkVersionFile("a/src/version.ts", text, "1.0.0")).toEqual([]);
  expect(checkVersionFile("a/src/version.ts", text, "1.1.0")).toEqual([
    "a/src/version.ts:1 version is 1.0.0, expected 1.1.0 as in the packages",
  ]);
});
