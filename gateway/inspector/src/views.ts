import type { View } from "./view.js";
import { conversationsView } from "./views/conversations.js";
import { lazyView } from "./views/lazy-view.js";
import { liveView } from "./views/live.js";
import { memoriesView } from "./views/memories.js";

/** Views in the order of the navigation. The first view is the default. */
export const VIEWS: readonly View[] = [
  liveView,
  memoriesView,
  conversationsView,
  lazyView("graph", "Graph", () => import("./views/graph.js")),
  lazyView("health", "Health", () => import("./views/health.js")),
];
