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
