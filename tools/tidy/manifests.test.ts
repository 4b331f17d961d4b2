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
  expect(checkReferences(ROOT_MANIFEST, readJson<{ references: [] }>("tsconfig.json").references)).toEqual(
    [],
  );
});

it("version.ts files say the version of the packages", () => {
  const paths = FILES.filter((path) => path.endsWith("/version.ts"));
  expect(paths.flatMap((path) => checkVersionFile(path, readText(path), ROOT_MANIFEST.version))).toEqual([]);
});

it("finds a package that says otherwise than the root", () => {
  expect(checkSharedFields(ROOT, [aPackage({})])).toEqual([]);
  expect(checkSharedFields(ROOT, [aPackage({ version: "1.0.1", engines: { node: ">=22" } })])).toEqual([
    'a/package.json: version is "1.0.1", the root\'s is "1.0.0"',
    'a/package.json: engines is {"node":">=22"}, the root\'s is {"node":">=20"}',
  ]);
});

it("finds what tsc does not build, and what is no workspace", () => {
  expect(checkReferences(ROOT, [{ path: "a" }, { path: "c" }])).toEqual([
    "tsconfig.json leaves out b",
    "tsconfig.json: c is no workspace",
  ]);
});

it("finds another version in a version.ts", () => {
  const text = 'export const A_VERSION = "1.0.0";';
  expect(checkVersionFile("a/src/version.ts", text, "1.0.0")).toEqual([]);
  expect(checkVersionFile("a/src/version.ts", text, "1.1.0")).toEqual([
    "a/src/version.ts:1 says 1.0.0, the packages are 1.1.0",
  ]);
});
