import type { View } from "./view.js";
import { conversationsView } from "./views/conversations.js";
import { graphView } from "./views/graph.js";
import { healthView } from "./views/health.js";
import { liveView } from "./views/live.js";
import { memoriesView } from "./views/memories.js";

/** In the order of the navigation; the first is shown where the address names none. */
export const VIEWS: readonly View[] = [liveView, memoriesView, conversationsView, graphView, healthView];
