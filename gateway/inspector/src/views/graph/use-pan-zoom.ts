import { useEffect, useMemo, useState } from "preact/hooks";
import { type Fit, fitInto, type Placed } from "./graph-layout.js";

const SCALE_MIN = 0.1;
const SCALE_MAX = 8;

interface Point {
  readonly x: number;
  readonly y: number;
}

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

/** Scales so that the place at a pixel stays there. */
export function zoomed({ scale, left, top }: Fit, factor: number, { x, y }: Point): Fit {
  const next = Math.min(SCALE_MAX, Math.max(SCALE_MIN, scale * factor));
  const change = next / scale;
  return { scale: next, left: x - (x - left) * change, top: y - (y - top) * change };
}
