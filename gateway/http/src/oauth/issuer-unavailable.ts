/** The authorization server does not answer, or its answer is invalid. */
export class IssuerUnavailable extends Error {
  override readonly name = "IssuerUnavailable";
}
