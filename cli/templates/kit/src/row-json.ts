import type { Row } from "membus/plugin";

/** Converts a row to JSON, with binary fields as base64. */
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

/** Copies the bytes to a new buffer, which is aligned for arrays of four-byte elements. */
function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text, "base64")).buffer;
}
