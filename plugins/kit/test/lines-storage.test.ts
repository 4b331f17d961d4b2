import { describe, it } from "vitest";
import { registerStorageSuite } from "../src/storage-suite/index.js";
import { createStorage } from "./storage-mutants/served.js";

const module = new URL("./storage-mutants/served.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];

registerStorageSuite({ describe, it }, { name: "lines", createStorage, module, nodeArguments });
