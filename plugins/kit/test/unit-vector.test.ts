import { describe, expect, it } from "vitest";
import { unitVector } from "../src/search/unit-vector.js";

describe("a caller's vector", () => {
  it("is scaled to length 1, and a unit vector stays unchanged", () => {
    const unit = unitVector(Float32Array.of(3, 0, -4));
    expect(Array.from(unit, (component) => component.toFixed(4))).toEqual(["0.6000", "0.0000", "-0.8000"]);
    expect(unitVector(unit)).toBe(unit);
    expect(unitVector(Float32Array.of(9e15, 9e15))[0]).toBeCloseTo(Math.SQRT1_2);
  });

  it("of zeros stays unchanged", () => {
    const zeros = new Float32Array(3);
    expect(unitVector(zeros)).toBe(zeros);
  });
});
