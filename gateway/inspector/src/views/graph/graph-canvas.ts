import type { GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import { html } from "htm/preact";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useScheme, useWidth } from "../canvas-surroundings.js";
import { drawGraph } from "./draw-graph.js";
import { fitInto, nearest, placeNodes } from "./graph-layout.js";

const HEIGHT_PX = 420;

export interface GraphCanvasProps {
  readonly reply: NeighbourhoodReply;
  /** Called when the user clicks a node. */
  readonly onNode: (node: GraphNode) => void;
}

/** Draws the graph. The list beside it has the same content for users without pointer or sight. */
export function GraphCanvas({ reply, onNode }: GraphCanvasProps): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(frame);
  const scheme = useScheme();
  const places = useMemo(
    () =>
      placeNodes(
        reply.nodes.map(({ id }) => id),
        reply.edges,
      ),
    [reply],
  );
  const fit = useMemo(() => fitInto(places.values(), width, HEIGHT_PX), [places, width]);
  useEffect(() => {
    if (canvas.current !== null && width > 0)
      drawGraph(canvas.current, { reply, places, fit, width, height: HEIGHT_PX });
  }, [reply, places, fit, width, scheme]);
  const nodeAt = ({ offsetX, offsetY }: MouseEvent) => {
    const id = nearest(places.values(), fit, { x: offsetX, y: offsetY });
    return reply.nodes.find((node) => node.id === id);
  };
  const click = (event: MouseEvent) => {
    const node = nodeAt(event);
    if (node !== undefined) onNode(node);
  };
  const move = (event: MouseEvent) => {
    const node = nodeAt(event);
    const target = event.currentTarget as HTMLCanvasElement;
    target.style.cursor = node === undefined ? "default" : "pointer";
    target.title = node?.text ?? "";
  };
  return html`<div class="picture" ref=${frame}>
    <canvas ref=${canvas} aria-hidden="true" onClick=${click} onMouseMove=${move}></canvas>
  </div>`;
}
