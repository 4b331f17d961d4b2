import { registerStorageSuite } from "@membus/plugin-kit/storage-suite";
import { describe, it } from "vitest";
import { createStorage } from "./served-storage.js";

const module = new URL("./served-storage.ts", import.meta.url).href;
const nodeArguments = ["--conditions=membus-source", "--import", "tsx"];

registerStorageSuite(
  { describe, it },
  { name: "lancedb", createStorage, module, nodeArguments },
  // The storage may be slow on a loaded machine.
  { checkTimeoutMs: 600_000 },
);
