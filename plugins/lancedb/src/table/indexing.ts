import pLimit from "p-limit";

/**
 * Index builds of this process at a time. They share LanceDB's memory of 150 MB for sorting, and each takes 40 MB in advance. Four at a
 * time fail with "Resources exhausted", also on small tables.
 */
const CONCURRENCY = 2;

/** Runs a task that builds or updates an index of any table, once fewer than two others run. */
export const indexing = pLimit(CONCURRENCY);
