import { InputError } from '#contracts';
import { at, describe, type Field, isNull } from './field.js';
import type { Problems } from './problems.js';

/** A freeze as a configuration writes it: once, with `from` and `until` or `duration`; or recurring, with `from`, `duration` and `rule`. */
export type WrittenFreeze = Partial<Record<(typeof names)[number], string>>;

/** @throws InputError whose path is the name of a field. */
export type CheckWindow = (written: Omit<WrittenFreeze, 'reason'>) => unknown;

const names = ['from', 'until', 'duration', 'rule', 'timeZone', 'reason'] as const;
const isName = (name: string): name is (typeof names)[number] => (names as readonly string[]).includes(name);

/** Of one queue. */
const mostOfQueue = 20;
const longestText = 500;
const wanted =
  'a freeze is written as {from: 2026-12-24T18:00, until: 2026-12-27T08:00, timeZone: Europe/Berlin}, or a list of such freezes';

/**
 * The property `curtail.freeze`: one freeze, a list of them, or the text of either as JSON. docs/how-to/freeze.md
 *
 * @param check of a window; absent: only its fields are checked.
 * @param jsonOf the fields of a text of JSON; undefined: it is none.
 */
export function readFreezes(
  field: Field,
  path: string,
  problems: Problems,
  check: CheckWindow | undefined,
  jsonOf: (text: string) => Field | undefined,
): WrittenFreeze[] {
  const inner = field.kind === 'scalar' && field.type === 'text' ? jsonOf(field.text) : field;
  // What is inside a text has no line of its own.
  const placeOf = (of: Field) => (inner === field ? of : field);
  if (inner === undefined || inner.kind === 'scalar') {
    problems.error(path, `${wanted}, not ${describe(field)}`, field);
    return [];
  }
  const items = inner.kind === 'list' ? inner.items : [inner];
  if (items.length > mostOfQueue) {
    problems.error(path, `it has ${items.length} freezes; a queue has at most ${mostOfQueue}`, field);
    return [];
  }
  return items.flatMap((item, index) => {
    const itemPath = inner.kind === 'list' ? `${path}[${index}]` : path;
    return readFreeze(item, itemPath, problems, check, placeOf) ?? [];
  });
}

function readFreeze(
  field: Field,
  path: string,
  problems: Problems,
  check: CheckWindow | undefined,
  placeOf: (field: Field) => Field,
): WrittenFreeze | undefined {
  if (field.kind !== 'mapping') {
    problems.error(path, `${wanted}, not ${describe(field)}`, placeOf(field));
    return undefined;
  }
  const before = problems.count;
  const written: WrittenFreeze = {};
  for (const [name, { value }] of field.entries) {
    if (!isName(name)) {
      problems.error(at(path, name), `unknown field; a freeze has ${names.join(', ')}`, placeOf(value));
    } else if (!isNull(value)) {
      if (value.kind === 'scalar' && value.text.length <= longestText) written[name] = value.text;
      else
        problems.error(
          at(path, name),
          `a string of at most ${longestText} characters is expected here, not ${describe(value)}`,
          placeOf(value),
        );
    }
  }
  const { reason: _, ...window } = written;
  const fault = problems.count > before ? undefined : faultOf(window, check);
  if (fault) {
    const value = field.entries.get(fault.path)?.value ?? field;
    problems.error(at(path, fault.path), fault.message, placeOf(value));
  }
  return problems.count > before ? undefined : written;
}

function faultOf(window: WrittenFreeze, check: CheckWindow | undefined): InputError | undefined {
  // The same text has to mean the same whenever it is applied.
  if (window.from === undefined)
    return new InputError('from', `it is missing: write when the freeze begins, such as 2026-12-24T18:00Z`);
  try {
    check?.(window);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  return undefined;
}
