import { useEffect, useMemo, useState } from "preact/hooks";
import { type Fit, fitInto, type Placed, type Point, zoomed } from "./graph-layout.js";

export interface PanZoom {
  /** How places become pixels at present. */
  readonly fit: Fit;
  /** Scales by `factor` around a pixel, or around the middle. */
  zoom(factor: number, around?: Point): void;
  /** Moves by pixels. */
  move(dx: number, dy: number): void;
  /** Shows the whole graph. */
  reset(): void;
}

/** Keeps the part of a graph that is shown. It starts with the whole graph. */
export function usePanZoom(places: ReadonlyMap<string, Placed>, width: number, height: number): PanZoom {
  const whole = useMemo(() => fitInto(places.values(), width, height), [places, width, height]);
  const [chosen, setChosen] = useState<Fit>();
  useEffect(() => setChosen(undefined), [whole]);
  const middle = { x: width / 2, y: height / 2 };
  return {
    fit: chosen ?? whole,
    zoom: (factor, around = middle) => setChosen((fit = whole) => zoomed(fit, factor, around)),
    move: (dx, dy) =>
      setChosen(({ scale, left, top } = whole) => ({ scale, left: left + dx, top: top + dy })),
    reset: () => setChosen(undefined),
  };
}
