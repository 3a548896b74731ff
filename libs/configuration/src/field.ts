import { fieldPath as at, quoted, type WrittenScalar } from '#contracts';
import type { Place } from '#contracts/api';

/**
 * A configuration as written, in YAML or JSON text, or a JSON value. Scalars keep their text, because quantities and delays are read
 * from it (`1e3`, `010` and a 19-digit number would be lost).
 */
export type Field = Mapping | List | Scalar;

export interface Mapping extends Place {
  kind: 'mapping';
  entries: Map<string, Entry>;
}

export interface Entry {
  /** The position of the key. */
  key: Place;
  value: Field;
  /** The key occurs twice, which a problem says: this is its first value, and which one counts is unknown. */
  isAmbiguous?: boolean;
}

export interface List extends Place {
  kind: 'list';
  items: Field[];
}

export interface Scalar extends Place, WrittenScalar {
  kind: 'scalar';
}

export function isNull(field: Field | undefined): boolean {
  return field?.kind === 'scalar' && field.type === 'null';
}

/** True or false as in YAML 1.2; undefined for anything else, including `yes` and `on` of older versions. */
export function truthOf(field: Field): boolean | undefined {
  if (field.kind !== 'scalar' || field.type !== 'boolean') return undefined;
  const word = field.text.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

export { at, quoted };

export function describe(field: Field): string {
  if (field.kind !== 'scalar') return `a ${field.kind}`;
  return field.type === 'null' ? 'nothing' : quoted(field.text);
}
