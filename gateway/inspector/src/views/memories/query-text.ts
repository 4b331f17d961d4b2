import { type Search, tagsOf, withTags } from "./search.js";

const SPANS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };
const FILTER = /^(tier|tag|kind|since|until|namespace|session):(.+)$/;

/**
 * Reads a text such as `late trains tier:episodic tag:rail since:7d`. Filters are added to `search`. The other words
 * are its query. Quotes enclose a value with spaces: `tag:"on time"`.
 * @param now Unix seconds.
 */
export function readQueryText(text: string, search: Search, now: number): Search {
  const words: string[] = [];
  let read: Search = search;
  for (const part of partsOf(text)) {
    const [, name, quoted = ""] = FILTER.exec(part) ?? [];
    const value = quoted.startsWith('"') && quoted.endsWith('"') ? quoted.slice(1, -1) : quoted;
    const added = name === undefined ? undefined : filterOf(name, value, read, now);
    if (added === undefined) words.push(part);
    else read = { ...read, ...added };
  }
  return { ...read, q: words.join(" ") };
}

/** Splits at spaces outside of quotes. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  let isQuoted = false;
  for (const character of `${text} `) {
    if (character === '"') isQuoted = !isQuoted;
    if (isQuoted || character.trim() !== "") part += character;
    else {
      if (part !== "") parts.push(part);
      part = "";
    }
  }
  return part.trim() === "" ? parts : [...parts, part.trim()];
}

/** Returns undefined for a time that cannot be read. The text then becomes part of the query. */
function filterOf(name: string, value: string, search: Search, now: number): Partial<Search> | undefined {
  switch (name) {
    case "tag":
      return withTags([...tagsOf(search), value]);
    case "since":
    case "until": {
      const at = timeOf(value, now);
      return at === undefined ? undefined : { [name]: String(at) };
    }
    default:
      return { [name]: value };
  }
}

/** Returns Unix seconds for `7d` (before now) or a date such as `2026-01-31`. */
function timeOf(value: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(value) ?? [];
  if (count !== undefined) return Math.floor(now - Number(count) * SPANS[unit]!);
  const date = new Date(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value);
  return Number.isNaN(date.getTime()) ? undefined : Math.floor(date.getTime() / 1_000);
}
