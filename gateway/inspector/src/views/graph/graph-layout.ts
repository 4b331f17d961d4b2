import {
  forceCenter,
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  type SimulationNodeDatum,
} from "d3-force";

/** Steps of the simulation. More steps change nothing visible. */
const STEPS = 200;

export interface Placed {
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

interface Body extends SimulationNodeDatum {
  readonly id: string;
}

/** Places nodes around the first node, which stays in the middle. The same input gives the same places. */
export function placeNodes(
  ids: readonly string[],
  edges: readonly { readonly from: string; readonly to: string }[],
): ReadonlyMap<string, Placed> {
  const bodies: Body[] = ids.map((id, index) => (index === 0 ? { id, fx: 0, fy: 0 } : { id }));
  const links = edges
    .filter(({ from, to }) => from !== to)
    .map(({ from, to }) => ({ source: from, target: to }));
  forceSimulation(bodies)
    .force(
      "links",
      forceLink<Body, { source: string | Body; target: string | Body }>(links)
        .id(({ id }) => id)
        .distance(70),
    )
    .force("charge", forceManyBody().strength(-180))
    .force("room", forceCollide(18))
    .force("centre", forceCenter(0, 0).strength(0.05))
    .stop()
    .tick(STEPS);
  return new Map(bodies.map(({ id, x = 0, y = 0 }) => [id, { id, x, y }]));
}

const ZOOM_MIN = 0.1;
const ZOOM_MAX = 8;

/** A place on the screen, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** How places are scaled to pixels of a canvas. */
export interface Fit {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

const MARGIN_PX = 36;
const SCALE_MAX = 1.6;

/** Fits all nodes into a canvas and centres them. */
export function fitInto(places: Iterable<Placed>, width: number, height: number): Fit {
  const all = [...places];
  const [left, right] = bounds(all.map(({ x }) => x));
  const [top, bottom] = bounds(all.map(({ y }) => y));
  const room = (pixels: number, span: number) => Math.max(1, pixels - 2 * MARGIN_PX) / Math.max(1, span);
  const scale = Math.min(SCALE_MAX, room(width, right - left), room(height, bottom - top));
  return {
    scale,
    left: width / 2 - (scale * (left + right)) / 2,
    top: height / 2 - (scale * (top + bottom)) / 2,
  };
}

function bounds(values: readonly number[]): [number, number] {
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}

/** Returns the node nearest to a pixel, if it is close enough. */
export function nearest(places: Iterable<Placed>, fit: Fit, at: Point, withinPx = 16): string | undefined {
  let found: { readonly id: string; readonly distance: number } | undefined;
  for (const { id, x, y } of places) {
    const distance = Math.hypot(fit.left + fit.scale * x - at.x, fit.top + fit.scale * y - at.y);
    if (distance <= withinPx && distance < (found?.distance ?? Number.POSITIVE_INFINITY))
      found = { id, distance };
  }
  return found?.id;
}

/** Scales so that the place at a pixel stays there. */
export function zoomed({ scale, left, top }: Fit, factor: number, { x, y }: Point): Fit {
  const next = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, scale * factor));
  const change = next / scale;
  return { scale: next, left: x - (x - left) * change, top: y - (y - top) * change };
}
