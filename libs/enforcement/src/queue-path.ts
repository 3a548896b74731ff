/** `root.a.b` → `root.a`, `root`. */
export function ancestors(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, i) => parts.slice(0, parts.length - 1 - i).join('.'));
}

/** The queue itself and all above it, up to root. */
export function chain(path: string): string[] {
  return [path, ...ancestors(path)];
}

/** True if `path` is `queue` or stands below it. */
export function isWithin(path: string, queue: string): boolean {
  return path === queue || path.startsWith(`${queue}.`);
}

export function depth(path: string): number {
  return path.split('.').length;
}
