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

/** A field of an object and the JSON text of its value: in UTF-8 if that was kept. */
export interface FieldText {
  name: string;
  value: unknown;
  text: string | Buffer;
}

/** The fields that the JSON text of an object has. Undefined if the text of none was kept. */
export function fieldTextsOf(object: object): FieldText[] | undefined {
  const fields = Object.entries(object);
  if (!fields.some(([, value]) => keptOf(value))) return undefined;
  return fields.flatMap(([name, value]) => {
    const text = keptOf(value) ?? JSON.stringify(value);
    return text === undefined ? [] : [{ name, value, text }];
  });
}

/** The JSON text of an object with these fields, in parts: a kept text is a part of its own. */
export function* textOfFields(fields: readonly FieldText[]): Generator<string | FieldText> {
  let before = '{';
  for (const [i, field] of fields.entries()) {
    before += `${i === 0 ? '' : ','}${JSON.stringify(field.name)}:`;
    if (typeof field.text === 'string') {
      before += field.text;
      continue;
    }
    yield before;
    yield field;
    before = '';
  }
  yield `${before}}`;
}

/**
 * The text that `JSON.stringify` gives of the data of an event. A field whose text was kept is not written a second time: then it
 * is in UTF-8.
 */
export function jsonOf(data: object): string | Buffer {
  const fields = fieldTextsOf(data);
  if (!fields) return JSON.stringify(data);
  return Buffer.concat(
    [...textOfFields(fields)].map((part) =>
      typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.text),
    ),
  );
}

/** The text of a value, if it was kept. */
export const keptOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? kept.get(value) : undefined;
