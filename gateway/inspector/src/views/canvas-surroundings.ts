import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Returns the width of an element in pixels, and updates when it changes. 0 at first. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return width;
}

/**
 * Returns the color scheme. A canvas is redrawn when the scheme changes, because it reads its colors only
 * once.
 */
export function useScheme(): "light" | "dark" {
  const query = "(prefers-color-scheme: dark)";
  const [isDark, setDark] = useState(matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setDark(list.matches);
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, []);
  return isDark ? "dark" : "light";
}
