import { InputError, shown } from '#contracts';
import { isAbsent, objectAt } from '../../fields.js';
import { typePath } from '../../snapshot/amounts.js';

/** Labels that a node has to have, all of them, by name. */
export type LabelSet = readonly (readonly [name: string, value: string])[];

export function labelsAt(value: unknown, path: string): LabelSet {
  if (isAbsent(value)) return [];
  const labels = objectAt(value, path);
  return Object.keys(labels)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const text = labels[name];
      if (typeof text !== 'string') {
        throw new InputError(typePath(path, name), `must be a string, found ${shown(text)}`);
      }
      return [name, text] as const;
    });
}

export function hasLabels(labels: ReadonlyMap<string, string>, wanted: readonly LabelSet[]): boolean {
  return wanted.every((set) => set.every(([name, value]) => labels.get(name) === value));
}
