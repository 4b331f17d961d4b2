import { CLAUSES } from "../catalogue/clauses.js";

/** Returns a clause in the form that reports use: `RET-1 MUST A retrieve returns ...`. */
export function clauseText(id: string): string {
  const clause = CLAUSES.get(id);
  return clause === undefined ? `unknown clause: ${id}` : `${id} ${clause.level} ${clause.text}`;
}
