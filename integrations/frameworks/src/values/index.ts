export { jsonOf } from "./json-of.js";
export { ttlOption } from "./option-rules.js";
