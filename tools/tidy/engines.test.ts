import { expect, it } from "vitest";
import { ROOT_MANIFEST, readJson } from "./repository.js";
import { packagesForNewerNode } from "./rules/engines.js";

it("all locked packages but LanceDB run on the oldest Node that membus allows", () => {
  expect(ROOT_MANIFEST.engines).toEqual({ node: ">=20.19" });
  // @lancedb/lancedb 0.39.0 declares Node 22. It runs on Node 20, and users get it without the declaration.
  expect(packagesForNewerNode(readJson("package-lock.json"), "20.19.0")).toEqual([
    "node_modules/@lancedb/lancedb",
  ]);
});

it("finds packages that need a newer Node", () => {
  const packages = {
    "": { engines: { node: ">=20.19" } },
    "node_modules/without": {},
    "node_modules/old": { engines: { node: ">= 18" } },
    "node_modules/either": { engines: { node: "^20.10.0 || >=22" } },
    "node_modules/newer": { engines: { node: ">=22.12" } },
    "node_modules/a/node_modules/minor": { engines: { node: ">=20.20" } },
  };
  expect(packagesForNewerNode({ packages }, "20.19.0")).toEqual([
    "node_modules/newer",
    "node_modules/a/node_modules/minor",
  ]);
});
