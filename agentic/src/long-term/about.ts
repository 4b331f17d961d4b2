import { aboutOf, LIMITS, type OptionRule, segmentOf } from "@membus/protocol";

/** What is known about something is in a namespace of its own below this one. */
const ABOUT = "about";
/** What nobody has vouched for yet, about the same things. */
const QUARANTINE = "quarantine";

/** Where memories about `about` are. */
export function aboutNamespace(about: string): string {
  return `${ABOUT}/${segmentOf(about)}`;
}

export function quarantineNamespace(about: string): string {
  return `${QUARANTINE}/${aboutNamespace(about)}`;
}

/** All of them, for a read. */
export const ALL_ABOUT = `${ABOUT}/**`;

/** How many memories there are about something. */
export interface AboutCount {
  readonly about: string;
  readonly count: number;
}

/** Counts of namespaces below `ALL_ABOUT`, sorted by what they are about. */
export function aboutCounts(counts: ReadonlyMap<string, number>): AboutCount[] {
  const abouts = [...counts].flatMap(([namespace, count]) => {
    const about = aboutOf(namespace);
    return about === undefined ? [] : [{ about, count }];
  });
  return abouts.sort((a, b) => (a.about < b.about ? -1 : 1));
}

export const aboutOption: OptionRule = (value, name) => {
  const max = LIMITS.namespaceSegmentLength;
  const length = typeof value === "string" ? segmentOf(value).length : 0;
  if (length < 1 || length > max) {
    throw new TypeError(`${name} must be 1..${max} characters, three for each of % / * and controls`);
  }
};
