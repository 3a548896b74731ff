import { InputError, queueSettings, readSettings } from '@curtail/contracts';
import { at, describe, type Field, isNull } from './field.js';
import type { Entries } from './keys.js';
import type { Problems } from './problems.js';

const ofCurtail = 'curtail.';

/**
 * The settings of plans among the properties of a queue, in the form in which a snapshot has them. Other names that begin with `curtail.`
 * are errors: no scheduler has such properties. docs/reference/configuration.md, "Settings of a queue"
 */
export function readQueueSettings(
  properties: Entries,
  path: string,
  problems: Problems,
): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [property, { key, value }] of properties) {
    if (!property.startsWith(ofCurtail) || isNull(value)) continue;
    const setting = Object.entries(queueSettings).find(([, name]) => name === property)?.[0];
    if (setting === undefined) {
      const known = Object.values(queueSettings).join(' and ');
      problems.error(at(path, property), `unknown setting; ${known} can be set for a queue`, key);
      continue;
    }
    try {
      kept[property] = checked(setting, value);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.error(at(path, property), error.message, value);
    }
  }
  return kept;
}

/** Properties of YuniKorn are texts; numbers are accepted with and without quotes. @throws InputError */
function checked(setting: string, field: Field): unknown {
  if (field.kind !== 'scalar')
    throw new InputError(setting, `a single value is expected here, not ${describe(field)}`);
  const value = field.type !== 'boolean' && /^\d{1,15}$/.test(field.text) ? Number(field.text) : field.text;
  readSettings({ [setting]: value });
  return value;
}
