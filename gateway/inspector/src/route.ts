import { useEffect, useState } from "preact/hooks";

/** Where in the page one is: `#/memories?namespace=default`. */
export interface Route {
  readonly path: string;
  readonly params: URLSearchParams;
  /** The address of the same view with these parameters in place of its own; what is undefined or "" is left out. */
  href(params: Readonly<Record<string, string | undefined>>): string;
  /** Goes there. */
  go(params: Readonly<Record<string, string | undefined>>): void;
}

/** The address of a view with these parameters. */
export function hrefOf(path: string, params: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(given).toString();
  return `#/${path}${query === "" ? "" : `?${query}`}`;
}

/** The present route, and from then on each that it becomes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return routeOf(hash);
}

function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  return {
    path,
    params: new URLSearchParams(query),
    href: (params) => hrefOf(path, params),
    go: (params) => {
      location.hash = hrefOf(path, params);
    },
  };
}
