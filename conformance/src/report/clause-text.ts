import { CLAUSES } from "../catalogue/clauses.js";

/** A clause as reports cite it: `RET-1 MUST A retrieve returns ...`. */
export function clauseText(id: string): string {
  const clause = CLAUSES.get(id);
  return clause === undefined ? `${id} is no clause` : `${id} ${clause.level} ${clause.text}`;
}
