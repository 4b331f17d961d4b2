import { itemInput, STORE_NAMESPACE } from "@membus/integrations/langgraph-items";
import type { Json } from "@membus/protocol";
import { z } from "zod";
import { instantOf, type Row, rowsOrLines } from "./foreign-values.js";
import { type ImportItem, problemOf, rejected } from "./import-item.js";

const ItemSchema = z
  .looseObject({
    /** Labels, or labels with dots between them. A row of the tables has `prefix`. */
    namespace: z.union([z.array(z.string().min(1)), z.string()]).optional(),
    prefix: z.string().optional(),
    key: z.string().min(1),
    value: z.preprocess(parsed, z.record(z.string(), z.json())),
  })
  .refine(({ namespace, prefix }) => (namespace ?? prefix) !== undefined, "has no namespace");

/** Reads items of a LangGraph store: a JSON list, or one item in each line. */
export function* readLanggraph(text: string): Generator<ImportItem> {
  const rows = rowsOrLines(text, ["items", "results"]);
  if (!Array.isArray(rows)) yield rows;
  else for (const row of rows) yield readItem(row);
}

function readItem({ line, bytes, value }: Row): ImportItem {
  const { data, error } = ItemSchema.safeParse(value);
  if (data === undefined) return rejected(line, bytes, problemOf(error, "row"));
  const names = data.namespace ?? data.prefix!;
  const namespace = typeof names === "string" ? names.split(".") : names;
  const [created, updated, expires] = [data.created_at, data.updated_at, data.expires_at].map(instantOf);
  const { metadata, ...item } = itemInput({ namespace, key: data.key, value: data.value }, {});
  const entry = {
    ...item,
    metadata: { ...metadata, ...(updated !== undefined && { langgraph_updated: updated }) },
    ...(created !== undefined && { occurred_at: created }),
    ...(expires !== undefined && { expires_at: expires }),
  };
  // An entry that expires is compared with the stored one, so that a second import changes nothing.
  return { line, bytes, entry, namespace: STORE_NAMESPACE, ...(expires !== undefined && { isExact: true }) };
}

/** A column of SQLite has the value as JSON text. */
function parsed(value: unknown): Json {
  if (typeof value !== "string") return value as Json;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return value;
  }
}
