import { html } from "htm/preact";
import type { VNode } from "preact";

/** Paths in a box of 16 by 16. */
const PATHS = {
  overview: "M2 2h5v7H2zM9 2h5v4H9zM9 8h5v6H9zM2 11h5v3H2z",
  memories: "M2 4c0-3 12-3 12 0s-12 3-12 0v8c0 3 12 3 12 0V4M2 8c0 3 12 3 12 0",
  users: "M5.5 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M1 14c0-5 9-5 9 0M11 7a2 2 0 1 0 0-4M12 9c2 .5 3 2 3 5",
  conversations: "M2 3h12v8H7l-3 3v-3H2z",
  blocks: "M3 2h6l4 4v8H3zM9 2v4h4M5.5 9h5M5.5 11.500h5",
  graph:
    "M3.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M12 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4M5 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4M5 4l5 1.5M6.5 10.700l4-3M4 5l.6 5",
  live: "M1 8h3l2-5 4 10 2-5h3",
  playground: "M3 3l5 5-5 5M9 13h5",
  health: "M8 14S2 10 2 6a3 3 0 0 1 6-1 3 3 0 0 1 6 1c0 4-6 8-6 8z",
  down: "M4 6l4 4 4-4",
} as const;

/** Draws a symbol beside a text, which has the meaning. */
export function Icon({ name }: { readonly name: string }): VNode {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    <path d=${PATHS[name as keyof typeof PATHS] ?? PATHS.overview} /></svg>`;
}
