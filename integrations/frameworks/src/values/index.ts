export { TtlSchema } from "./option-schemas.js";
export { toJsonValue } from "./to-json-value.js";
