const kept = new WeakMap<object, Buffer>();

/**
 * The JSON text of a value that does not change, in UTF-8, kept as long as that: it is part of an event that is to be appended
 * (`jsonOf`), and its digest is computed of the same bytes.
 */
export function keptJsonOf(value: object): Buffer {
  const text = kept.get(value) ?? Buffer.from(JSON.stringify(value));
  kept.set(value, text);
  return text;
}

/**
 * The text that `JSON.stringify` gives of the data of an event. A field whose text was kept is not written a second time: then it
 * is in UTF-8.
 */
export function jsonOf(data: object): string | Buffer {
  const fields = Object.entries(data);
  if (!fields.some(([, value]) => keptOf(value))) return JSON.stringify(data);
  const written: Buffer[] = [];
  for (const [name, value] of fields) {
    const text = keptOf(value) ?? JSON.stringify(value);
    if (text === undefined) continue;
    const begin = `${written.length === 0 ? '{' : ','}${JSON.stringify(name)}:`;
    written.push(Buffer.from(typeof text === 'string' ? begin + text : begin));
    if (typeof text !== 'string') written.push(text);
  }
  return Buffer.concat([...written, Buffer.from('}')]);
}

const keptOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? kept.get(value) : undefined;
