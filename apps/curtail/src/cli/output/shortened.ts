import { endOf, startOf, widthOf } from './width.js';

/** A path without its middle: paths differ mostly at their ends. */
export function shortened(path: string, width: number): string {
  if (widthOf(path) <= width) return path;
  const tail = Math.ceil(((width - 1) * 2) / 3);
  return `${startOf(path, width - 1 - tail)}…${endOf(path, tail)}`;
}

/**
 * The least width, from `narrowest` on, at which all of these paths stay distinct when shortened: paths that differ only in the middle
 * would look equal. A greater width keeps all that a lesser one keeps, so distinct paths stay distinct.
 */
export function distinctWidth(paths: readonly string[], narrowest: number): number {
  const distinct = [...new Set(paths)];
  let least = narrowest;
  let enough = distinct.reduce((most, path) => Math.max(most, widthOf(path)), narrowest);
  while (least < enough) {
    const between = Math.floor((least + enough) / 2);
    if (new Set(distinct.map((path) => shortened(path, between))).size === distinct.length) enough = between;
    else least = between + 1;
  }
  return least;
}
