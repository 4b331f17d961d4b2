import { describe, expect, it } from "vitest";
import { fitInto, nearest, placeNodes, zoomed } from "../src/views/graph/graph-layout.js";

const IDS = ["centre", "a", "b", "c"];
const EDGES = ["a", "b", "c"].map((to) => ({ from: "centre", to }));

describe("nodes", () => {
  it("are placed around the first node without overlaps", () => {
    const places = placeNodes(IDS, [...EDGES, { from: "a", to: "a" }]);
    expect([...places.keys()]).toEqual(IDS);
    expect(places.get("centre")).toEqual({ id: "centre", x: 0, y: 0 });
    const all = [...places.values()];
    for (const [index, a] of all.entries()) {
      for (const b of all.slice(index + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(30);
    }
  });

  it("are placed deterministically", () => {
    expect(placeNodes(IDS, EDGES)).toEqual(placeNodes(IDS, EDGES));
  });

  it("are placed up to the maximum number", () => {
    const ids = Array.from({ length: 200 }, (_, n) => `n${n}`);
    const places = placeNodes(
      ids,
      ids.slice(1).map((to) => ({ from: "n0", to })),
    );
    expect(places.size).toBe(200);
    expect([...places.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });
});

describe("a canvas", () => {
  const places = [
    { id: "left", x: -100, y: 0 },
    { id: "right", x: 100, y: 0 },
    { id: "low", x: 0, y: 50 },
  ];

  it.each([
    [400, 300],
    [320, 420],
  ])("of %d x %d contains all nodes", (width, height) => {
    const { scale, left, top } = fitInto(places, width, height);
    for (const { x, y } of places) {
      expect(left + scale * x).toBeGreaterThanOrEqual(0);
      expect(left + scale * x).toBeLessThanOrEqual(width);
      expect(top + scale * y).toBeGreaterThanOrEqual(0);
      expect(top + scale * y).toBeLessThanOrEqual(height);
    }
  });

  it("centres a single node", () => {
    const fit = fitInto([{ id: "one", x: 5, y: 5 }], 400, 300);
    expect([fit.left + fit.scale * 5, fit.top + fit.scale * 5]).toEqual([200, 150]);
  });

  it("finds the node under the pointer", () => {
    const fit = { scale: 1, left: 200, top: 150 };
    expect(nearest(places, fit, { x: 104, y: 153 })).toBe("left");
    expect(nearest(places, fit, { x: 200, y: 150 })).toBeUndefined();
  });
});

it("zooming keeps the place under the pointer, within limits", () => {
  expect(zoomed({ scale: 1, left: 100, top: 50 }, 2, { x: 110, y: 60 })).toEqual({
    scale: 2,
    left: 90,
    top: 40,
  });
  expect(zoomed({ scale: 8, left: 0, top: 0 }, 2, { x: 9, y: 9 })).toEqual({ scale: 8, left: 0, top: 0 });
});
