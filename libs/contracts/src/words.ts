/** `1 queue`, `2 queues`; `1 run waits`, `2 runs wait`. */
export function counted(number: number | bigint, one: string, many = `${one}s`): string {
  return `${number} ${Number(number) === 1 ? one : many}`;
}

/** The first names of a list in a sentence: `root.a, root.b and 3 more`. */
export function firstOf(names: readonly string[], most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** A value of the input for an error message: JSON, truncated. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return cutShort(text, 60);
}

/** At most this many characters; three dots mark a truncated end. */
export function cutShort(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

/** Input, shortened for a message. */
export function quoted(text: string): string {
  return JSON.stringify(cutShort(text, 60));
}

/** The path of a field for an error: `a.b`, and `a."b.c"` for a key that is no plain word. */
export function fieldPath(path: string, key: string): string {
  const shown = cutShort(key, 80);
  const step = /^[\w@/:#-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return path === '' ? step : `${path}.${step}`;
}
