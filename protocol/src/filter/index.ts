export { type Criteria, criteriaShape, isUnfiltered, NamespacePatternSchema } from "./criteria.js";
export type { Filter } from "./filter.js";
export { checkWhere } from "./where.js";
