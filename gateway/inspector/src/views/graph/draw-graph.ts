import type { GraphEdge, GraphNode, NeighbourhoodReply } from "@membus/gateway/inspector-api";
import type { Fit, Placed } from "./graph-layout.js";

export interface Picture {
  readonly reply: NeighbourhoodReply;
  readonly places: ReadonlyMap<string, Placed>;
  readonly fit: Fit;
  /** Width in pixels of the page. */
  readonly width: number;
  readonly height: number;
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  /** Returns a color of the style sheet. */
  color(name: string): string;
  /** Returns the pixel of a node. */
  at(id: string): { readonly x: number; readonly y: number } | undefined;
}

const RADIUS_PX = 7;
const LABEL_LENGTH_MAX = 24;
/** More labels would overlap. */
const NODE_LABELS_MAX = 60;
const EDGE_LABELS_MAX = 24;

/** Draws edges first, so that nodes are in front. */
export function drawGraph(canvas: HTMLCanvasElement, picture: Picture): void {
  const { reply, width, height } = picture;
  const density = devicePixelRatio;
  canvas.width = width * density;
  canvas.height = height * density;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = penOf(canvas, picture);
  if (pen === undefined) return;
  pen.context.scale(density, density);
  pen.context.font = "12px system-ui, sans-serif";
  for (const edge of reply.edges) drawEdge(pen, edge, reply.edges.length <= EDGE_LABELS_MAX);
  for (const node of reply.nodes) drawNode(pen, node, node.id === reply.centre);
  for (const node of reply.nodes.slice(0, NODE_LABELS_MAX)) drawLabel(pen, node);
}

function penOf(canvas: HTMLCanvasElement, { places, fit }: Picture): Pen | undefined {
  const context = canvas.getContext("2d");
  if (context === null) return undefined;
  const style = getComputedStyle(canvas);
  const at = (id: string) => {
    const place = places.get(id);
    return place && { x: fit.left + fit.scale * place.x, y: fit.top + fit.scale * place.y };
  };
  return { context, at, color: (name) => style.getPropertyValue(`--${name}`) };
}

function drawEdge({ context, color, at }: Pen, { from, to, label, kind }: GraphEdge, isNamed: boolean): void {
  const [a, b] = [at(from), at(to)];
  if (a === undefined || b === undefined) return;
  context.strokeStyle = color("line");
  context.fillStyle = color("quiet");
  context.setLineDash(kind === "triple" ? [] : [4, 3]);
  context.beginPath();
  context.moveTo(a.x, a.y);
  context.lineTo(b.x, b.y);
  context.stroke();
  context.setLineDash([]);
  drawHead(context, a, b);
  if (!isNamed) return;
  context.textAlign = "center";
  context.fillText(label.replaceAll("_", " "), (a.x + b.x) / 2, (a.y + b.y) / 2 - 3);
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Draws the arrowhead at the end of an edge. */
function drawHead(context: CanvasRenderingContext2D, a: Point, b: Point): void {
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  context.save();
  context.translate(b.x, b.y);
  context.rotate(angle);
  context.beginPath();
  context.moveTo(-RADIUS_PX - 1, 0);
  context.lineTo(-RADIUS_PX - 9, -4);
  context.lineTo(-RADIUS_PX - 9, 4);
  context.fill();
  context.restore();
}

/** Draws names as circles and entries as squares. The color shows the tier. */
function drawNode({ context, color, at }: Pen, { id, kind, tier }: GraphNode, isCentre: boolean): void {
  const place = at(id);
  if (place === undefined) return;
  const { x, y } = place;
  context.fillStyle = color(`tier-${tier}`);
  context.beginPath();
  if (kind === "name") context.arc(x, y, RADIUS_PX, 0, 2 * Math.PI);
  else context.rect(x - RADIUS_PX, y - RADIUS_PX, 2 * RADIUS_PX, 2 * RADIUS_PX);
  context.fill();
  if (!isCentre) return;
  context.strokeStyle = color("text");
  context.lineWidth = 3;
  context.stroke();
  context.lineWidth = 1;
}

function drawLabel({ context, color, at }: Pen, { id, text }: GraphNode): void {
  const place = at(id);
  if (place === undefined) return;
  const short = text.length > LABEL_LENGTH_MAX ? `${text.slice(0, LABEL_LENGTH_MAX - 1)}…` : text;
  context.textAlign = "center";
  context.strokeStyle = color("ground");
  context.lineWidth = 3;
  context.strokeText(short, place.x, place.y + RADIUS_PX + 14);
  context.lineWidth = 1;
  context.fillStyle = color("text");
  context.fillText(short, place.x, place.y + RADIUS_PX + 14);
}
