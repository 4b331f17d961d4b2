export { backoffMs } from "./backoff.js";
export { OpenAiClient, type OpenAiClientDependencies, type OpenAiClientOptions } from "./client.js";
export { connectionOptions } from "./connection-options.js";
export { type ContextError, contextErrorOf, tokensOf } from "./context-error.js";
export { Deadline } from "./deadline.js";
export { ProviderError, type ProviderFailure } from "./provider-error.js";
