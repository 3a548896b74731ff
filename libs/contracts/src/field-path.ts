import { cutShort } from './shown.js';

/** The path of a field for an error: `a.b`, and `a."b.c"` for a key that is no plain word. */
export function fieldPath(path: string, key: string): string {
  const shown = cutShort(key, 80);
  const step = /^[\w@/:#-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return path === '' ? step : `${path}.${step}`;
}
