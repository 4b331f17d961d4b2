import { type Trust, TrustSchema } from "@membus/protocol/records";

/** Maximum passages of a triple. Later ones are ignored. */
const EVIDENCE_COUNT_MAX = 8;
const EVIDENCE_LENGTH_MAX = 2_000;

/** Trust levels, highest first, as in the protocol (clause REC-9). */
const TRUST_ORDER: readonly Trust[] = TrustSchema.options;

/**
 * Returns each passage as one line, without duplicates. @throws {TypeError} for a passage that is too long.
 */
export function evidenceLines(evidence: string | readonly string[] | undefined): string[] {
  const given = typeof evidence === "string" ? [evidence] : (evidence ?? []);
  const lines = given.map((passage) => passage.trim().replace(/\s+/g, " ")).filter((line) => line !== "");
  const long = lines.find(({ length }) => length > EVIDENCE_LENGTH_MAX);
  if (long !== undefined) {
    throw new TypeError(`evidence must have at most ${EVIDENCE_LENGTH_MAX} characters, got ${long.length}`);
  }
  return combineEvidence([], lines);
}

/** Appends the new passages of `more` to `known`, up to the limit. */
export function combineEvidence(known: readonly string[], more: readonly string[]): string[] {
  const room = Math.max(known.length, EVIDENCE_COUNT_MAX);
  return [...new Set([...known, ...more])].slice(0, room);
}

export function higherTrust(one: Trust, other: Trust): Trust {
  return TRUST_ORDER.indexOf(one) <= TRUST_ORDER.indexOf(other) ? one : other;
}
