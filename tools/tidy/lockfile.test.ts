import { expect, it } from "vitest";
import { readJson } from "./repository.js";
import { checkLockfile } from "./rules/lockfile.js";

it("package-lock.json has checksums, and no registry addresses or required install scripts", () => {
  expect(checkLockfile(readJson("package-lock.json"))).toEqual([]);
});

it("finds registry addresses, packages without a checksum, and required packages with an install script", () => {
  const packages = {
    "": {},
    bus: {},
    "node_modules/@x/bus": { resolved: "bus", link: true },
    "node_modules/good": { integrity: "sha512-a" },
    "node_modules/bare": {},
    "node_modules/of-one-platform": { optional: true, os: ["darwin"] },
    "node_modules/optional": { optional: true },
    "node_modules/built": { integrity: "sha512-c", hasInstallScript: true },
    "node_modules/built-for-tests": { integrity: "sha512-d", hasInstallScript: true, dev: true },
    "node_modules/built-if-possible": { integrity: "sha512-e", hasInstallScript: true, optional: true },
    "node_modules/good/node_modules/from": {
      resolved: "https://registry.example/from.tgz",
      integrity: "sha512-b",
    },
  };
  expect(checkLockfile({ packages })).toEqual([
    "package-lock.json: node_modules/bare has no checksum (integrity)",
    "package-lock.json: node_modules/optional has no checksum (integrity)",
    "package-lock.json: node_modules/built runs a script when it is installed",
    "package-lock.json: node_modules/good/node_modules/from contains the address https://registry.example/from.tgz: run npm install --omit-lockfile-registry-resolved",
  ]);
});
