export { endWithAccess } from "./access-end.js";
export type { AccessGrant, AccessRefusal } from "./access-tokens.js";
export { type OAuthOptions, OAuthOptionsSchema } from "./oauth-options.js";
export { ProtectedResource, RESOURCE_METADATA_PATH } from "./protected-resource.js";
