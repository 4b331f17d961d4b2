export type RetrieveFields = Readonly<Record<string, unknown>>;

type Read = (text: string) => unknown;

const asText: Read = (text) => text;
const asNumber: Read = (text) => Number(text);
const asList: Read = (text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
const asJson: Read = (text) => JSON.parse(text) as unknown;
const asSeconds: Read = (text) => new Date(text).getTime() / 1_000;

export interface Field {
  /** Path in the request, such as `recency.half_life_s`. */
  readonly path: string;
  readonly label: string;
  readonly read: Read;
  readonly type?: "number" | "datetime-local" | "checkbox" | "json";
  /** Values to choose from. */
  readonly values?: readonly string[];
  /** Largest number. */
  readonly max?: number;
  readonly hint?: string;
  /** True if it is shown before the others. */
  readonly isMain?: boolean;
}

const FRACTION = { read: asNumber, type: "number", max: 1 } as const;

/** All parameters of a retrieve that a person can type. */
export const FIELDS: readonly Field[] = [
  { isMain: true, path: "query", label: "Query", read: asText },
  { isMain: true, path: "namespace", label: "Namespace", read: asText, hint: "default, or a/**" },
  { isMain: true, path: "tier", label: "Tier", read: asText, values: ["working", "episodic", "semantic"] },
  { isMain: true, path: "limit", label: "Limit", read: asNumber, type: "number", max: 100 },
  { isMain: true, path: "mode", label: "Mode", read: asText, values: ["hybrid", "text", "vector"] },
  { isMain: true, path: "order", label: "Order", read: asText, values: ["relevance", "newest", "oldest"] },
  { path: "min_score", label: "Lowest score", ...FRACTION },
  { path: "diversity", label: "Diversity", ...FRACTION },
  { path: "recency.half_life_s", label: "Half-life in seconds", read: asNumber, type: "number", max: 1e11 },
  { path: "recency.weight", label: "Weight of age", ...FRACTION },
  { path: "expand.before", label: "Neighbours before", read: asNumber, type: "number", max: 100 },
  { path: "expand.after", label: "Neighbours after", read: asNumber, type: "number", max: 100 },
  { isMain: true, path: "tags", label: "Tags, with commas", read: asList },
  { path: "tags_mode", label: "Tags needed", read: asText, values: ["any", "all"] },
  { path: "group", label: "Group", read: asText },
  { path: "fields", label: "Fields: text, context, time", read: asList },
  { path: "include", label: "Include: snippet, context", read: asList },
  { path: "since", label: "Since", read: asSeconds, type: "datetime-local" },
  { path: "until", label: "Until", read: asSeconds, type: "datetime-local" },
  { path: "exact", label: "Exact", read: () => true, type: "checkbox" },
  { path: "rerank", label: "Rerank", read: () => true, type: "checkbox" },
  { path: "explain", label: "Explain", read: () => true, type: "checkbox" },
  { path: "where", label: "Filter as JSON", read: asJson, type: "json" },
];

/** Builds a request from the values of a form. Empty fields are left out. @throws {SyntaxError} for invalid JSON. */
export function requestOf(textOf: (path: string) => string): RetrieveFields {
  const request: Record<string, unknown> = {};
  for (const { path, read } of FIELDS) {
    const text = textOf(path).trim();
    if (text === "") continue;
    const [name = "", part] = path.split(".");
    request[name] = part === undefined ? read(text) : { ...(request[name] as object), [part]: read(text) };
  }
  return request;
}

/** Returns the text of a form field for a value of the request. */
export function fieldText(request: RetrieveFields, { path, type }: Field): string {
  const [name = "", part] = path.split(".");
  const whole = request[name];
  const value = part === undefined ? whole : (whole as RetrieveFields | undefined)?.[part];
  if (value === undefined || value === null) return "";
  if (type === "json") return JSON.stringify(value);
  if (type === "datetime-local") return localText(Number(value));
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function localText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Reads the request of an address, which the user may have edited. */
export function requestIn(text: string | null): RetrieveFields | undefined {
  try {
    const request: unknown = JSON.parse(text ?? "null");
    return typeof request === "object" && request !== null && !Array.isArray(request)
      ? (request as RetrieveFields)
      : undefined;
  } catch {
    return undefined;
  }
}
