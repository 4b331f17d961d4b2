import { isPositioned } from "@membus/agentic/positioned-record";
import { type Json, type MemoryEntry, readJson, TIERS } from "@membus/protocol";
import { z } from "zod";
import { type ImportItem, problemOf, rejected } from "./import-item.js";
import { CLEARED } from "./read-export.js";

/** Fields of an entry in the front matter. The host validates the others. */
const FieldsSchema = z.looseObject({
  key: z.record(z.string(), z.unknown()),
  tier: z.enum(TIERS),
  namespace: z.string(),
  content: z.enum(["text", "string", "json"]),
});

const POSITIONED =
  "it names messages by positions of another host, which Markdown does not contain. Import a JSONL export";

/**
 * Returns the entry of a file that `membus export --to markdown` wrote, also after its text was edited. `bodyAt`
 * is the index of the first line after the front matter.
 */
export function readExportedFile(
  text: string,
  front: Readonly<Record<string, unknown>>,
  bodyAt: number,
): ImportItem {
  const { data, error } = FieldsSchema.safeParse(front.membus);
  if (data === undefined)
    return rejected(1, text.length, `front matter: membus.${problemOf(error, "membus")}`);
  if (isPositioned({ metadata: data.metadata as MemoryEntry["metadata"] })) {
    return rejected(1, text.length, POSITIONED);
  }
  const { namespace, content: form, ...fields } = data;
  // An editor may have changed all line ends. Otherwise a final "\r" belongs to the content.
  const lastLineEnd = text.startsWith("---\r\n") ? /\r?\n$/ : /\n$/;
  const body = text.split("\n").slice(bodyAt).join("\n").replace(lastLineEnd, "");
  const bytes = Buffer.byteLength(text);
  try {
    const content = contentOf(form, body);
    const tags = Array.isArray(front.tags) ? front.tags.map(String) : [];
    const entry = { ...CLEARED, ...fields, content, tags } as unknown as Record<string, Json>;
    return { line: 1, bytes, entry, namespace, isExact: true };
  } catch (problem) {
    return rejected(1, bytes, `the text is not valid JSON: ${(problem as Error).message}`);
  }
}

function contentOf(form: "text" | "string" | "json", body: string): Json {
  if (form === "string") return body;
  if (form === "text") return { text: body };
  return readJson(body.replace(/^```json\r?\n/, "").replace(/\r?\n```\s*$/, "")) as Json;
}
