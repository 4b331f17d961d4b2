import { LIMITS, option } from "@membus/protocol";
import { encodeSegment, subjectFromNamespace } from "@membus/protocol/records";

/** Prefix of the namespaces of memories, one namespace for each subject. */
const NAMESPACE_PREFIX = "about";
/** Prefix of the namespaces of memories that are not promoted yet. */
const QUARANTINE = "quarantine";

/** Returns the namespace of memories about a subject. */
export function subjectNamespace(subject: string): string {
  return `${NAMESPACE_PREFIX}/${encodeSegment(subject)}`;
}

export function quarantineNamespace(subject: string): string {
  return `${QUARANTINE}/${subjectNamespace(subject)}`;
}

/** Matches the namespaces of all subjects. */
export const ALL_SUBJECTS = `${NAMESPACE_PREFIX}/**`;

/** Number of memories about a subject. */
export interface SubjectCount {
  readonly subject: string;
  readonly count: number;
}

/** Converts counts by namespace below `ALL_ABOUT` to counts by subject, sorted by subject. */
export function subjectCounts(counts: ReadonlyMap<string, number>): SubjectCount[] {
  const subjects = [...counts].flatMap(([namespace, count]) => {
    const subject = subjectFromNamespace(namespace);
    return subject === undefined ? [] : [{ subject, count }];
  });
  return subjects.sort((a, b) => (a.subject < b.subject ? -1 : 1));
}

const LENGTH_MAX = LIMITS.namespaceSegmentLength;

export const SubjectSchema = option.value<string>((subject) => {
  const length = typeof subject === "string" ? encodeSegment(subject).length : 0;
  return length >= 1 && length <= LENGTH_MAX;
}, `must be 1..${LENGTH_MAX} characters ('%', '/', '*' and control characters count as 3)`);
