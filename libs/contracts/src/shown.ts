/** A value of the input as an error message shows it: JSON, cut short. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return cutShort(text, 60);
}

/** At most so many characters; three dots stand for what is left out at the end. */
export function cutShort(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 3)}...`;
}

/** What somebody typed, short enough for a message. */
export function quoted(text: string): string {
  return JSON.stringify(cutShort(text, 60));
}
