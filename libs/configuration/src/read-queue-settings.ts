import {
  freezeProperty,
  InputError,
  mayHaveSetting,
  propertyOf,
  type QueueSetting,
  queueSettings,
  readQueueSetting,
} from '#contracts';
import { at, describe, type Field, isNull, type Scalar, truthOf } from './field.js';
import { readJsonValue } from './json-source.js';
import type { Entries } from './keys.js';
import { plainValue } from './plain-value.js';
import { Problems } from './problems.js';
import { type CheckWindow, readFreezes } from './read-freezes.js';

const ofCurtail = 'curtail.';
const settingOf = new Map(queueSettings.map((name): [string, QueueSetting] => [propertyOf(name), name]));

/**
 * The settings among the properties of a queue, in the form in which a snapshot has them. Other names that begin with `curtail.`
 * are errors: no scheduler has such properties. So are settings of the partition on another queue than the root. docs/reference/configuration.md, "Settings of a queue"
 */
export function readQueueSettings(
  properties: Entries,
  { path, queue }: { path: string; queue: string },
  problems: Problems,
  checkWindow?: CheckWindow,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [property, { key, value }] of properties) {
    if (!property.startsWith(ofCurtail) || isNull(value)) continue;
    const place = at(path, property);
    if (property === freezeProperty) {
      const freezes = readFreezes(value, place, problems, checkWindow, jsonField);
      if (freezes.length > 0) kept[property] = freezes;
      continue;
    }
    const setting = settingOf.get(property);
    if (setting === undefined) {
      const own = [...settingOf].flatMap(([name, of]) => (mayHaveSetting(queue, of) ? [name] : []));
      const known = [...own, freezeProperty].join(', ');
      problems.error(place, `unknown setting; a queue can have ${known}`, key);
      continue;
    }
    if (!mayHaveSetting(queue, setting)) {
      problems.error(place, 'it counts for the whole partition; set it for the root queue', key);
      continue;
    }
    try {
      kept[property] = given(setting, value, place, problems);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.error(error.path, error.message, value);
    }
  }
  return kept;
}

/** @throws InputError */
function given(setting: QueueSetting, field: Field, place: string, problems: Problems): unknown {
  const structure = structures[setting];
  const value = structure ? structured(structure, field, place, problems) : single(field, place);
  readQueueSetting(setting, value, place);
  return value;
}

/** Properties of YuniKorn are texts; numbers are accepted with and without quotes. */
function single(field: Field, place: string): unknown {
  const { type, text } = scalar(field, place);
  return type !== 'boolean' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** What these settings are, where they are more than one value. */
const structures: Partial<Record<QueueSetting, 'mapping' | 'list'>> = {
  protect: 'mapping',
  flapping: 'mapping',
  ownerBudgets: 'list',
};

/** Also as the text of JSON, since properties of YuniKorn are texts. */
function structured(kind: 'mapping' | 'list', field: Field, place: string, problems: Problems): unknown {
  if (field.kind === kind) return plainValue(field, place, problems);
  const { type, text } = scalar(field, place);
  if (type === 'boolean') return truthOf(field);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function scalar(field: Field, place: string): Scalar {
  if (field.kind === 'scalar') return field;
  throw new InputError(place, `a single value is expected here, not ${describe(field)}`);
}

/** The fields of a text of JSON; undefined: it is none. */
function jsonField(text: string): Field | undefined {
  try {
    return readJsonValue(JSON.parse(text), new Problems());
  } catch {
    return undefined;
  }
}
