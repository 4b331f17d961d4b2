export {
  type AiSdkTool,
  aiSdkTools,
  type MembusToolsOptions,
  membusTools,
} from "./ai-sdk-tools.js";
export { type MembusMiddleware, membusMiddleware } from "./middleware.js";
export type { MiddlewareDependencies, MiddlewareOptions } from "./middleware-options.js";
