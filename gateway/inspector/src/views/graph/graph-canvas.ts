import type { GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useScheme, useWidth } from "../canvas-surroundings.js";
import { drawGraph } from "./draw-graph.js";
import { nearest, placeNodes } from "./graph-layout.js";
import { type PanZoom, usePanZoom } from "./use-pan-zoom.js";

const HEIGHT_PX = 460;
/** Distance after which a press becomes a drag. */
const DRAG_PX = 4;
const STEP_PX = 40;
const ZOOM = 1.25;

export interface GraphCanvasProps {
  readonly reply: NeighbourhoodReply;
  /** Called when the user clicks a node. */
  readonly onNode: (node: GraphNode) => void;
}

/**
 * Draws the graph. It is moved by dragging and arrow keys, and scaled by wheel, buttons, "+" and "-". The list beside
 * it has the same content for users without pointer or sight.
 */
export function GraphCanvas({ reply, onNode }: GraphCanvasProps): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const scheme = useScheme();
  const places = useMemo(() => placesOf(reply), [reply]);
  const { fit, zoom, move, reset } = usePanZoom(places, width, HEIGHT_PX);
  const dragging = useRef<{ readonly x: number; readonly y: number; isMoved: boolean } | undefined>(
    undefined,
  );
  useEffect(() => {
    if (canvas.current !== null && width > 0)
      drawGraph(canvas.current, { reply, places, fit, width, height: HEIGHT_PX });
  }, [reply, places, fit, width, scheme]);
  const nodeAt = ({ offsetX, offsetY }: MouseEvent) => {
    const id = nearest(places.values(), fit, { x: offsetX, y: offsetY });
    return reply.nodes.find((node) => node.id === id);
  };
  const down = (event: PointerEvent) => {
    dragging.current = { x: event.clientX, y: event.clientY, isMoved: false };
    (event.currentTarget as HTMLCanvasElement).setPointerCapture(event.pointerId);
  };
  const drag = (event: PointerEvent) => {
    const from = dragging.current;
    if (from === undefined) return showTarget(event, nodeAt(event));
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    if (!from.isMoved && Math.hypot(dx, dy) < DRAG_PX) return;
    dragging.current = { x: event.clientX, y: event.clientY, isMoved: true };
    move(dx, dy);
  };
  const up = (event: PointerEvent) => {
    const isClick = dragging.current?.isMoved === false;
    dragging.current = undefined;
    const node = isClick ? nodeAt(event) : undefined;
    if (node !== undefined) onNode(node);
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? ZOOM : 1 / ZOOM, { x: event.offsetX, y: event.offsetY });
  };
  const press = (event: KeyboardEvent) => {
    const act = KEYS[event.key];
    if (act === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    act({ zoom, move, reset });
  };
  return html`<div class="picture" ref=${frame} role="group" tabindex="0" onKeyDown=${press}
    aria-label="Picture of the graph. Arrow keys move it, plus and minus scale it, 0 shows all. The list has the same content.">
    <canvas ref=${canvas} aria-hidden="true" onPointerDown=${down} onPointerMove=${drag} onPointerUp=${up}
      onPointerCancel=${() => {
        dragging.current = undefined;
      }} onWheel=${wheel}></canvas>
    <p class="zoom"><button type="button" class="plain" aria-label="Zoom in" onClick=${() => zoom(ZOOM)}>+</button>
      <button type="button" class="plain" aria-label="Zoom out" onClick=${() => zoom(1 / ZOOM)}>−</button>
      <button type="button" class="plain" onClick=${reset}>Fit</button></p>
  </div>`;
}

const KEYS: Readonly<Record<string, (view: Pick<PanZoom, "zoom" | "move" | "reset">) => void>> = {
  ArrowLeft: ({ move }) => move(STEP_PX, 0),
  ArrowRight: ({ move }) => move(-STEP_PX, 0),
  ArrowUp: ({ move }) => move(0, STEP_PX),
  ArrowDown: ({ move }) => move(0, -STEP_PX),
  "+": ({ zoom }) => zoom(ZOOM),
  "-": ({ zoom }) => zoom(1 / ZOOM),
  "0": ({ reset }) => reset(),
};

function placesOf({ nodes, edges }: NeighbourhoodReply) {
  return placeNodes(
    nodes.map(({ id }) => id),
    edges,
  );
}

function showTarget(event: MouseEvent, node: GraphNode | undefined): void {
  const target = event.currentTarget as HTMLCanvasElement;
  target.style.cursor = node === undefined ? "grab" : "pointer";
  target.title = node?.text ?? "";
}
