import { isPlainObject } from '#contracts';

/** Begins the text of columns: nothing that is JSON begins so. */
const mark = 'columns:';
/** Columns with more different values than elements divided by this are written value by value. */
const elementsPerValue = 4;

/** Elements with more different sets of fields than these are not written as columns. */
const mostShapes = 64;

/** Values of a field in the order of the elements that have it: all of them, or each different one with its places. */
type Column = { all: unknown[] } | { values: unknown[]; at: number[] } | { value: unknown };

interface Columns {
  /** The fields that elements have, in their order. */
  shapes: string[][];
  /** The shape of each element; absent where all have the first. */
  of?: number[];
  count: number;
  columns: Record<string, Column>;
}

/**
 * The elements of a list as one text of columns: less than half of the JSON text of allocations. Undefined where they are
 * not all plain objects with some of the same fields.
 */
export function columnText(elements: readonly unknown[]): string | undefined {
  const shapes: string[][] = [];
  const of: number[] = [];
  let shape = -1;
  for (const element of elements) {
    const fields = isPlainObject(element) ? fieldsOf(element) : undefined;
    if (!fields || fields.includes('__proto__')) return undefined;
    if (shape < 0 || !isSame(shapes[shape]!, fields)) {
      shape = shapes.findIndex((known) => isSame(known, fields));
      if (shape < 0) shape = shapes.push(fields) - 1;
      if (shape >= mostShapes) return undefined;
    }
    of.push(shape);
  }
  const columns: Record<string, Column> = {};
  for (const name of new Set(shapes.flat())) {
    const having = shapes.map((shape) => shape.includes(name));
    const values = (having.every(Boolean) ? elements : elements.filter((_, i) => having[of[i]!])).map(
      (element) => (element as Record<string, unknown>)[name],
    );
    columns[name] = columnOf(values);
  }
  const written: Columns = { shapes, ...(shapes.length > 1 && { of }), count: elements.length, columns };
  return mark + JSON.stringify(written);
}

/** The elements whose text of columns this is; undefined where it is another text. Equal values of a column may be one object. */
export function fromColumnText(text: string): unknown[] | undefined {
  if (!text.startsWith(mark)) return undefined;
  const { shapes, of, count, columns }: Columns = JSON.parse(text.slice(mark.length));
  const readers = new Map(Object.entries(columns).map(([name, column]) => [name, reader(column)]));
  const byShape = shapes.map((fields) => fields.map((name) => [name, readers.get(name)!] as const));
  return Array.from({ length: count }, (_, i) => {
    const element: Record<string, unknown> = {};
    for (const [name, next] of byShape[of?.[i] ?? 0]!) element[name] = next();
    return element;
  });
}

function columnOf(values: unknown[]): Column {
  const places = new Map<unknown, number>();
  const at: number[] = [];
  for (const value of values) {
    let place = places.get(value);
    if (place === undefined) {
      if (places.size * elementsPerValue > values.length) return { all: values };
      place = places.size;
      places.set(value, place);
    }
    at.push(place);
  }
  const different = [...places.keys()];
  return different.length === 1 ? { value: different[0] } : { values: different, at };
}

function reader(column: Column): () => unknown {
  let next = 0;
  if ('value' in column) return () => column.value;
  if ('all' in column) return () => column.all[next++];
  return () => column.values[column.at[next++]!];
}

/** As JSON has them: without those that are undefined. */
function fieldsOf(element: Record<string, unknown>): string[] {
  const fields = Object.keys(element);
  for (const name of fields)
    if (element[name] === undefined) return fields.filter((field) => element[field] !== undefined);
  return fields;
}

const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((field, i) => field === b[i]);
