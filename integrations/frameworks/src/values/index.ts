export { jsonOf } from "./json-of.js";
export { namespaceOption, optional, ttlOption } from "./option-rules.js";
