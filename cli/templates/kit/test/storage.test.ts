import { registerStorageSuite } from "membus/conformance";
import { describe, it } from "vitest";
import { createStorage } from "../dist/file-storage.js";

const module = new URL("../dist/file-storage.js", import.meta.url).href;

registerStorageSuite({ describe, it }, { name: "plugin-name", createStorage, module });
