import type { VNode } from "preact";
import type { Api, Who } from "./api.js";
import type { Route } from "./route.js";

export type { Who };

export interface PageProps {
  readonly api: Api;
  readonly who: Who;
  readonly route: Route;
  /** True if entries may be changed. */
  readonly edit: boolean;
}

/** A part of the inspector at `#/<path>`. */
export interface View {
  readonly path: string;
  readonly title: string;
  readonly Page: (props: PageProps) => VNode;
}
