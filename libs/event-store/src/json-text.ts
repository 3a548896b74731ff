const kept = new WeakMap<object, string>();

/** The JSON text of a value that does not change, kept as long as that: it is part of an event that is to be appended (`jsonOf`). */
export function keptJsonOf(value: object): string {
  const text = kept.get(value) ?? JSON.stringify(value);
  kept.set(value, text);
  return text;
}

/** The text that `JSON.stringify` gives of the data of an event. A field whose text was kept is not written a second time. */
export function jsonOf(data: object): string {
  const fields = Object.entries(data);
  if (!fields.some(([, value]) => typeof value === 'object' && value !== null && kept.has(value)))
    return JSON.stringify(data);
  const written = fields.flatMap(([name, value]) => {
    const text = (typeof value === 'object' && value !== null && kept.get(value)) || JSON.stringify(value);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${written.join(',')}}`;
}
