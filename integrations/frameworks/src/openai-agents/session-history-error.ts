/**
 * Reason why a transaction was not applied: another one has its id, or the history does not end as expected.
 */
export class SessionHistoryError extends Error {
  override readonly name = "SessionHistoryError";
}
