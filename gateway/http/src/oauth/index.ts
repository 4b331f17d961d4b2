export { endWithAccess } from "./access-end.js";
export type { AccessGrant, AccessRefusal } from "./access-tokens.js";
export { type OAuthOptions, OAuthOptionsSchema } from "./oauth-options.js";
export { isResourceMetadata, ProtectedResource } from "./protected-resource.js";
