export { type AiSdkTool, aiSdkTools, type MembusToolsOptions, membusTools } from "./ai-sdk-tools.js";
export { type MembusMiddleware, membusMiddleware } from "./middleware.js";
export {
  MIDDLEWARE_DEFAULTS,
  type MiddlewareDependencies,
  type MiddlewareOptions,
} from "./middleware-options.js";
