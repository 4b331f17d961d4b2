import type { View } from "./view.js";
import { lazyView } from "./views/lazy-view.js";
import { overviewView } from "./views/overview.js";

/** Views in the order of the navigation. The first view is the default. */
export const VIEWS: readonly View[] = [
  overviewView,
  lazyView("memories", "Memories", () => import("./views/memories.js")),
  lazyView("users", "Users", () => import("./views/users.js")),
  lazyView("conversations", "Conversations", () => import("./views/conversations.js")),
  lazyView("blocks", "Blocks and files", () => import("./views/blocks.js")),
  lazyView("graph", "Graph", () => import("./views/graph.js")),
  lazyView("live", "Live", () => import("./views/live.js")),
  lazyView("playground", "Playground", () => import("./views/playground.js")),
  lazyView("health", "Health", () => import("./views/health.js")),
];
