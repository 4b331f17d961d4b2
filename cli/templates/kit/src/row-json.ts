import type { Row } from "@membus/plugin-kit";

/** A row as JSON: what is binary as base64. */
export function rowAsJson({ terms, vector, ...row }: Row): object {
  return {
    ...row,
    terms: terms && base64(terms),
    vector: vector && base64(vector),
  };
}

interface RowJson extends Omit<Row, "terms" | "vector"> {
  readonly terms: string | null;
  readonly vector: string | null;
}

export function parseRow(value: unknown): Row {
  const { terms, vector, ...row } = value as RowJson;
  return {
    ...row,
    terms: terms === null ? null : new Uint32Array(bytesOf(terms)),
    vector: vector === null ? null : new Float32Array(bytesOf(vector)),
  };
}

function base64({ buffer, byteOffset, byteLength }: Uint32Array | Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** A copy of its own, which begins where arrays of four bytes may. */
function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, "base64")).buffer;
}
