import type { View } from "./view.js";
import { liveView } from "./views/live.js";
import { memoriesView } from "./views/memories.js";

/** In the order of the navigation; the first is shown where the address names none. */
export const VIEWS: readonly View[] = [liveView, memoriesView];
