import { eachNumber, NUMBER_FIELDS, type NumberField } from "../../row.js";

/** Fields that mostly equal another one, or 0. */
export const USUAL_COLUMNS = {
  seq: "revision",
  created: "updated",
  occurredAt: "updated",
  expiresAt: 0,
} as const;

export type UsualField = keyof typeof USUAL_COLUMNS;

export interface ColumnArrays {
  readonly numbers: { [Field in NumberField]: Float64Array };
  readonly accessed: Float64Array;
  readonly bodyBytes: Uint32Array;
  readonly alive: Uint8Array;
}

/** 8 bytes for each field and the access time, 4 for the body size, and 1 for the live flag. */
const COLUMN_BYTES = (NUMBER_FIELDS.length + 1) * 8 + 4 + 1;

/**
 * Creates all columns of `capacity` slots in one buffer. Most partitions have few rows, and separate buffers
 * would take more memory than the rows.
 */
export function columnsOfZeros(capacity: number): ColumnArrays {
  const buffer = new ArrayBuffer(capacity * COLUMN_BYTES);
  let at = 0;
  const nextNumbers = () => {
    const column = new Float64Array(buffer, at, capacity);
    at += column.byteLength;
    return column;
  };
  const numbers = eachNumber(nextNumbers);
  const accessed = nextNumbers();
  const bodyBytes = new Uint32Array(buffer, at, capacity);
  return { numbers, accessed, bodyBytes, alive: new Uint8Array(buffer, at + bodyBytes.byteLength, capacity) };
}

/**
 * Creates the columns of a large partition. The fields in `usual` have the array of the field that they equal, or
 * one of zeros, which takes no memory until it is written.
 */
export function largeColumns(capacity: number, usual: ReadonlySet<UsualField>): ColumnArrays {
  const own = (field: NumberField) =>
    !usual.has(field as UsualField) || USUAL_COLUMNS[field as UsualField] === 0;
  const numbers = eachNumber((field) => new Float64Array(own(field) ? capacity : 0));
  for (const field of usual) if (!own(field)) numbers[field] = numbers[USUAL_COLUMNS[field] as NumberField];
  return {
    numbers,
    accessed: new Float64Array(capacity),
    bodyBytes: new Uint32Array(capacity),
    alive: new Uint8Array(capacity),
  };
}
