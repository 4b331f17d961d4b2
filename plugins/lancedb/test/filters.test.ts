import { describe, expect, it } from "vitest";
import { and, compare, inFragments, isIn } from "../src/rows/filters.js";
import type { Column } from "../src/rows/schema.js";

describe("a filter", () => {
  it("quotes texts", () => {
    expect(compare("scope", "=", "it's")).toBe("scope = 'it''s'");
    expect(isIn("scope", ["a", "'", "''"])).toBe("scope IN ('a', '''', '''''')");
  });

  it("writes numbers exactly", () => {
    expect(compare("row_id", ">=", 2 ** 53 - 1)).toBe("row_id >= 9007199254740991");
    expect(compare("expires_at", "<=", 1_700_000_000.125)).toBe("expires_at <= 1700000000.125");
  });

  it("joins with AND", () => {
    expect(and(isIn("row_id", [1, 2]), compare("scope", "=", "a"))).toBe("row_id IN (1, 2) AND scope = 'a'");
  });

  it("names the rows of fragments", () => {
    expect(inFragments([0, 3])).toBe(
      "(_rowid >= 0 AND _rowid < 4294967296) OR (_rowid >= 12884901888 AND _rowid < 17179869184)",
    );
  });

  it("accepts only columns of the table and finite numbers", () => {
    expect(() => compare("scope OR 1=1 --" as Column, "=", 1)).toThrow(TypeError);
    expect(() => isIn("row_id", [1, Number.NaN])).toThrow(TypeError);
    expect(() => compare("row_id", ">=", Number.POSITIVE_INFINITY)).toThrow(TypeError);
  });
});
