import type { View } from "./view.js";
import { conversationsView } from "./views/conversations.js";
import { lateView } from "./views/late-view.js";
import { liveView } from "./views/live.js";
import { memoriesView } from "./views/memories.js";

/** Views in the order of the navigation. The first view is the default. */
export const VIEWS: readonly View[] = [
  liveView,
  memoriesView,
  conversationsView,
  lateView("graph", "Graph", () => import("./views/graph.js")),
  lateView("health", "Health", () => import("./views/health.js")),
];
