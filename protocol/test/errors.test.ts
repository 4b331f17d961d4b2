import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { CatalogueRow } from "../generate/error-catalogue.js";
import {
  ERROR_CATALOGUE,
  ErrorMessageSchema,
  errorFields,
  errorHeaders,
  isMemoryError,
  MemoryError,
  parseErrorMessage,
} from "../src/index.js";

const spec = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../spec/${file}`, import.meta.url)), "utf8");

/** Codes, headers and retryability, which are part of the protocol and therefore repeated here. */
const PINNED = {
  parse_error: [400, false],
  invalid_message: [400, false],
  version_mismatch: [400, false],
  schema_violation: [400, false],
  unauthorized: [403, false],
  memory_not_found: [404, false],
  conflict: [409, false],
  too_large: [413, false],
  overloaded: [429, true],
  runtime_error: [500, false],
  out_of_memory: [500, true],
  unsupported: [501, false],
  unavailable: [503, true],
  timeout: [504, true],
  memory_full: [507, false],
} as const;

describe("the error catalogue", () => {
  it("matches the pinned values", () => {
    const actual = Object.entries(ERROR_CATALOGUE).map(([code, { header, retryable }]) => [
      code,
      [header, retryable],
    ]);
    expect(Object.fromEntries(actual)).toEqual(PINNED);
  });

  it("matches errors.json", () => {
    const rows = JSON.parse(spec("errors.json")) as CatalogueRow[];
    const actual = rows.map(({ code, header, retryable }) => [code, [header, retryable]]);
    expect(Object.fromEntries(actual)).toEqual(PINNED);
    expect(rows.every(({ when, what_to_do }) => when.endsWith(".") && what_to_do.endsWith("."))).toBe(true);
  });

  it("matches the table of the chapter", () => {
    const rows = [...spec("04-errors.md").matchAll(/^\| `(\w+)` \| (\d+) \| (yes|no) \|/gm)];
    const actual = rows.map(([, code, header, retryable]) => [code, [Number(header), retryable === "yes"]]);
    expect(Object.fromEntries(actual)).toEqual(PINNED);
  });
});

describe("a MemoryError", () => {
  it("takes retryable from the catalogue", () => {
    expect(new MemoryError("timeout", "m").retryable).toBe(true);
    expect(new MemoryError("conflict", "m", { revision: 3 })).toMatchObject({
      retryable: false,
      detail: { revision: 3 },
    });
  });

  it("is recognized across copies of the package", () => {
    const foreign = Object.defineProperty(new Error("m"), Symbol.for("membus.MemoryError"), { value: true });
    expect([new MemoryError("timeout", "m"), foreign].every(isMemoryError)).toBe(true);
    expect([new Error("m"), { code: "timeout" }, null, undefined].some(isMemoryError)).toBe(false);
  });

  it("is preserved on the wire", () => {
    const error = new MemoryError("overloaded", "too much", { retry_after_ms: 200 });
    const head = { type: "error", id: "e", version: "1.0", ts: 1, req_id: "q", capability_name: "memory" };
    const again = parseErrorMessage(ErrorMessageSchema.parse({ ...head, ...errorFields(error) }));
    expect(errorFields(again)).toEqual({
      code: "overloaded",
      message: "too much",
      detail: { retry_after_ms: 200 },
      retryable: true,
    });
  });

  it("is runtime_error for an unknown code, including names of object properties", () => {
    const head = {
      type: "error",
      id: "e",
      version: "1.0",
      ts: 1,
      req_id: null,
      capability_name: "memory",
    } as const;
    for (const code of ["quota", "toString", "__proto__"]) {
      const error = parseErrorMessage({ ...head, code, message: "m", detail: {}, retryable: true });
      expect(errorFields(error)).toEqual({
        code: "runtime_error",
        message: "m",
        detail: { code },
        retryable: false,
      });
    }
  });

  it("has single-line headers", () => {
    expect(errorHeaders(new MemoryError("too_large", `a\r\n\nb${"x".repeat(400)}`))).toEqual({
      "Nats-Service-Error": `a b${"x".repeat(253)}`,
      "Nats-Service-Error-Code": "413",
    });
  });
});
