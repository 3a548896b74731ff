import {
  careProperties,
  InputError,
  parseMinRun,
  parseQuantity,
  parseShare,
  quantitiesOfText,
  wantedQuantities,
} from '#contracts';
import { at, describe, type Field, isNull, type Scalar } from './field.js';
import type { Entries } from './keys.js';
import type { Problems } from './problems.js';
import type { CheckWindow } from './read-freezes.js';
import { readQueueSettings } from './read-queue-settings.js';
import { originOf, readFieldAmounts, readScalar } from './read-resources.js';
import type { QueueTree } from './tree.js';

/**
 * The settings of plans and the properties for victim care among those of a queue, in the form in which a snapshot has them, and the share once more. Nothing
 * where the queue sets none. docs/reference/policies/victim-care.md §1, §12
 */
export function readCare(
  properties: Entries,
  { path, queue }: { path: string; queue: string },
  problems: Problems,
  checkWindow?: CheckWindow,
): Pick<QueueTree, 'properties' | 'share'> {
  const given = (name: string) => {
    const field = properties.get(name)?.value;
    return field === undefined || isNull(field) ? undefined : { field, path: at(path, name) };
  };
  const [minRun, share, limit] = [careProperties.minRun, careProperties.share, careProperties.limit].map(
    given,
  );
  const kept = readQueueSettings(properties, { path, queue }, problems, checkWindow);
  if (minRun !== undefined) {
    readScalar(minRun.field, minRun.path, problems, (scalar) => parseMinRun(scalar, minRun.path));
    kept[careProperties.minRun] = givenValue(minRun.field);
  }
  let percent: number | undefined;
  if (share !== undefined) {
    percent = readScalar(share.field, share.path, problems, (scalar) => parseShare(scalar, share.path));
    kept[careProperties.share] = givenValue(share.field);
  }
  if (limit !== undefined) {
    readLimit(limit.field, limit.path, problems);
    kept[careProperties.limit] = givenValue(limit.field);
  }
  return {
    ...(Object.keys(kept).length > 0 && { properties: kept }),
    ...(share !== undefined &&
      percent !== undefined && {
        share: { percent, origin: originOf(share.field, share.path, { path: share.path }) },
      }),
  };
}

function readLimit(field: Field, path: string, problems: Problems): void {
  if (field.kind === 'mapping') {
    readFieldAmounts(field, path, problems);
    return;
  }
  if (field.kind !== 'scalar' || field.type !== 'text') {
    problems.error(path, `${describe(field)} is not a limit; ${wantedQuantities}`, field);
    return;
  }
  readScalar(field, path, problems, ({ text }) => {
    for (const [type, quantity] of quantitiesOfText(text, path)) {
      if (type === '') throw new InputError(path, `a resource type has a name; ${wantedQuantities}`);
      readScalar(field, path, problems, () => parseQuantity(quantity, type, at(path, type)));
    }
  });
}

/** As it was typed; numbers with more digits than a double holds, and all quantities, as texts. */
function givenValue(field: Field): unknown {
  if (field.kind === 'mapping') {
    const entries = [...field.entries].map(([key, { value }]) => [
      key,
      value.kind === 'scalar' ? value.text : null,
    ]);
    return Object.fromEntries(entries);
  }
  return field.kind === 'scalar' ? givenScalar(field) : null;
}

function givenScalar({ type, text }: Scalar): string | number {
  const isNumber = type === 'number' && /^\d+$/.test(text) && Number.isSafeInteger(Number(text));
  return isNumber ? Number(text) : text;
}
