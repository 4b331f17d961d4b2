import type { Check } from "../../../catalogue/check.js";
import { agentsHostChecks } from "./agents-host.js";
import { agentsPluginChecks } from "./agents-plugin.js";

/** Agents of a tenant, for operators. */
export const agentsChecks: readonly Check[] = [...agentsPluginChecks, ...agentsHostChecks];
