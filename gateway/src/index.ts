export { type StdioDependencies, serveStdio } from "./a2e/stdio.js";
export { Gateway, type GatewayDependencies } from "./gateway.js";
export type { OpenAiOptions } from "./openai/openai-options.js";
export { GATEWAY_DEFAULTS, type GatewayOptions, type GatewayToken } from "./options.js";
