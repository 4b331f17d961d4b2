export { boundedBody, readBody } from "./bounded-body.js";
export { BoundedStream, copyBody } from "./bounded-stream.js";
export {
  bearerOf,
  type CallerRefusal,
  type CallerRules,
  checkCaller,
  headOnlyFor,
  hostnameOf,
  isLoopback,
  networkOf,
  requireBearer,
} from "./caller-checks.js";
export { mcpCrossOrigin } from "./cross-origin.js";
export { EventStream, encodeEvent } from "./event-stream.js";
export { fetchJson } from "./fetch-json.js";
export { addHealthRoutes, HEALTH_PATHS, type HealthSources, textResponse } from "./health-routes.js";
export {
  type Body,
  createApp,
  type HttpApp,
  type HttpContext,
  type HttpEnv,
  jsonResponse,
} from "./http-context.js";
export {
  type ConnectionRefusal,
  type HttpServer,
  type ListenOptions,
  listen,
  type TlsFiles,
} from "./listen.js";
export { opensMcpStream } from "./mcp-streams.js";
export {
  type AccessGrant,
  type AccessRefusal,
  endWithAccess,
  isResourceMetadata,
  type OAuthOptions,
  OAuthOptionsSchema,
  ProtectedResource,
} from "./oauth/index.js";
export { OpenRequest } from "./open-request.js";
export { limitRequests, RequestPool, type RequestPoolLimits } from "./request-pool.js";
export { type EndedRequest, RequestTracker } from "./request-tracker.js";
export { ResponseWriter } from "./response-writer.js";
