export { ttlOption } from "./option-rules.js";
export { toJsonValue } from "./to-json-value.js";
