export {
  type AiSdkTool,
  aiSdkTools,
  MEMBUS_TOOLS_DEFAULTS,
  type MembusToolsOptions,
  membusTools,
} from "./ai-sdk-tools.js";
export { type MembusMiddleware, membusMiddleware } from "./middleware.js";
export {
  MIDDLEWARE_DEFAULTS,
  type MiddlewareDependencies,
  type MiddlewareOptions,
} from "./middleware-options.js";
