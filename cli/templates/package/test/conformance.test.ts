import { registerConformance } from "membus/conformance";
import { describe, it } from "vitest";
import { createPlugin } from "../dist/plugin.js";

const module = new URL("../dist/plugin.js", import.meta.url).href;

registerConformance({ describe, it }, { name: "plugin-name", tier: "PLUGIN_TIER", createPlugin, module });
