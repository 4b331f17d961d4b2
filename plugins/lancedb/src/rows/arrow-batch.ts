import { NUMBER_FIELDS, type Row, type ScopedRow } from "@membus/plugin-kit";
import type { Binary, Data, FixedSizeBinary, Float64, Table, Utf8 } from "apache-arrow";
import { arrow } from "../lancedb.js";
import { bodySums, rowSums, vectorSums } from "./checksums.js";
import { KEY_HASH_BYTES, tableSchema, vectorType } from "./schema.js";

/**
 * Converts rows to one Arrow batch, column by column, because LanceDB processes row objects two to three
 * times slower. `columns` are the table's columns, in order.
 * @throws {TypeError} For a vector of other dimensions or with NaN or infinity, which LanceDB would accept
 * and distort, and for an invalid key hash.
 */
export function toArrowTable(
  rows: readonly ScopedRow[],
  dimensions: number,
  columns?: readonly string[],
): Table {
  const schema = tableSchema(dimensions);
  const children = columnData(rows, dimensions);
  const names = schema.fields.map((field) => field.name);
  const order = (columns ?? names).map((name) => names.indexOf(name));
  const fields = order.map((at) => schema.fields[at]!);
  const { makeData, RecordBatch, Schema, Struct, Table } = arrow();
  const struct = makeData({
    type: new Struct(fields),
    length: rows.length,
    nullCount: 0,
    children: order.map((at) => children[at]!),
  });
  return new Table([new RecordBatch(new Schema(fields), struct)]);
}

/** Returns the columns in the order of `tableSchema`. */
function columnData(rows: readonly ScopedRow[], dimensions: number): Data[] {
  const plain = rows.map((scoped) => scoped.row);
  const keyHash = keyHashData(plain);
  const numbers = NUMBER_FIELDS.map((field) => float64Data(plain, (row) => row[field]));
  numbers.push(float64Data(plain, (row) => Buffer.byteLength(row.body)));
  const [group, facets, body] = [
    utf8Data(plain.map((row) => row.group)),
    utf8Data(plain.map((row) => row.facets)),
    utf8Data(plain.map((row) => row.body)),
  ];
  const [terms, analyzer] = [termsData(plain), utf8Data(plain.map((row) => row.analyzer))];
  const vectors = vectorData(plain, dimensions);
  const texts = [group, facets, terms, analyzer];
  const sums = [
    rowSums({ count: rows.length, keyHash, numbers, texts, scope: (row) => rows[row]!.scope }),
    vectorSums(vectors, (row) => plain[row]!.embedder),
    bodySums(body, numbers[NUMBER_FIELDS.indexOf("rowId")]!),
  ];
  return [
    ...[utf8Data(rows.map((scoped) => scoped.scope)), keyHash, ...numbers, ...sums.map(numbersData)],
    ...[group, facets, body, terms, analyzer, utf8Data(plain.map((row) => row.embedder)), vectors],
  ];
}

function utf8Data(values: readonly string[]): Data<Utf8> {
  const { makeData, Utf8 } = arrow();
  const valueOffsets = new Int32Array(values.length + 1);
  let size = 0;
  for (let index = 0; index < values.length; index++) {
    size += Buffer.byteLength(values[index]!);
    valueOffsets[index + 1] = size;
  }
  const data = Buffer.allocUnsafe(size);
  for (let index = 0; index < values.length; index++) data.write(values[index]!, valueOffsets[index]!);
  return makeData({ type: new Utf8(), length: values.length, nullCount: 0, valueOffsets, data });
}

function float64Data(rows: readonly Row[], read: (row: Row) => number): Data<Float64> {
  const data = new Float64Array(rows.length);
  for (let index = 0; index < rows.length; index++) data[index] = read(rows[index]!);
  return numbersData(data);
}

function numbersData(data: Float64Array): Data<Float64> {
  const { makeData, Float64 } = arrow();
  return makeData({ type: new Float64(), length: data.length, nullCount: 0, data });
}

function keyHashData(rows: readonly Row[]): Data<FixedSizeBinary> {
  const { makeData, FixedSizeBinary } = arrow();
  const data = Buffer.alloc(rows.length * KEY_HASH_BYTES);
  rows.forEach(({ keyHash }, index) => {
    const written = data.write(keyHash, index * KEY_HASH_BYTES, KEY_HASH_BYTES, "hex");
    if (keyHash.length !== KEY_HASH_BYTES * 2 || written !== KEY_HASH_BYTES) {
      throw new TypeError(`not a key hash: ${JSON.stringify(keyHash)}`);
    }
  });
  return makeData({ type: new FixedSizeBinary(KEY_HASH_BYTES), length: rows.length, nullCount: 0, data });
}

function termsData(rows: readonly Row[]): Data<Binary> {
  const { makeData, Binary } = arrow();
  const valueOffsets = new Int32Array(rows.length + 1);
  const { nullCount, nullBitmap } = validity(rows, (row) => row.terms !== null);
  rows.forEach((row, index) => {
    valueOffsets[index + 1] = valueOffsets[index]! + (row.terms?.byteLength ?? 0);
  });
  const data = new Uint8Array(valueOffsets[rows.length]!);
  rows.forEach(({ terms }, index) => {
    if (terms !== null) data.set(bytesOf(terms), valueOffsets[index]);
  });
  return makeData({ type: new Binary(), length: rows.length, nullCount, nullBitmap, valueOffsets, data });
}

function vectorData(rows: readonly Row[], dimensions: number): Data {
  const { makeData, Float32 } = arrow();
  const data = new Float32Array(rows.length * dimensions);
  const { nullCount, nullBitmap } = validity(rows, (row) => row.vector !== null);
  rows.forEach(({ vector }, index) => {
    if (vector === null) return;
    checkVector(vector, dimensions);
    data.set(vector, index * dimensions);
  });
  const child = makeData({ type: new Float32(), length: data.length, nullCount: 0, data });
  return makeData({ type: vectorType(dimensions), length: rows.length, nullCount, nullBitmap, child });
}

function checkVector(vector: Float32Array, dimensions: number): void {
  if (vector.length !== dimensions) {
    throw new TypeError(`a vector has ${vector.length} dimensions, the table has ${dimensions}`);
  }
  for (let index = 0; index < dimensions; index++) {
    if (!Number.isFinite(vector[index]))
      throw new TypeError(`a vector contains ${vector[index]}, all components must be finite`);
  }
}

/** Returns Arrow's validity bits: 1 for a row with a value. */
function validity<T>(
  rows: readonly T[],
  has: (row: T) => boolean,
): { nullCount: number; nullBitmap: Uint8Array } {
  const nullBitmap = new Uint8Array((rows.length + 7) >> 3);
  let nullCount = 0;
  for (let index = 0; index < rows.length; index++) {
    if (has(rows[index]!)) nullBitmap[index >> 3]! |= 1 << (index & 7);
    else nullCount++;
  }
  return { nullCount, nullBitmap };
}

/** Arrow is little-endian, like every machine that LanceDB supports. */
function bytesOf(terms: Uint32Array): Uint8Array {
  return new Uint8Array(terms.buffer, terms.byteOffset, terms.byteLength);
}
