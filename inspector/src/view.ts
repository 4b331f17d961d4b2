import type { VNode } from "preact";
import type { Api } from "./api.js";
import type { Route } from "./route.js";

/** Whose memory is looked at. An agent of "": none is chosen yet. */
export interface Who {
  readonly tenant: string;
  readonly agent: string;
}

export interface PageProps {
  readonly api: Api;
  readonly who: Who;
  readonly route: Route;
}

/** One part of the inspector, at `#/<path>`. */
export interface View {
  readonly path: string;
  readonly title: string;
  readonly Page: (props: PageProps) => VNode;
}
