import { describe, it } from "vitest";
import { registerStorageSuite } from "../src/storage-suite/index.js";
import { createStorage } from "./storage-mutants/served.js";

registerStorageSuite(
  { describe, it },
  {
    name: "lines",
    createStorage,
    module: new URL("./storage-mutants/served.ts", import.meta.url).href,
    nodeArguments: ["--conditions=membus-source", "--import", "tsx"],
  },
);
