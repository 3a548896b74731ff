import { InputError, type Resources } from '#contracts';
import { baseUnits, parseQuantity, resourceType } from '../quantity.js';

const most = 64;

/**
 * Amounts in an annotation: `cpu=4,memory=16Gi,nvidia.com/gpu=1`, in base units. A fraction of a unit is rounded up: no less is guaranteed than was
 * written.
 *
 * @throws InputError with the remedy.
 */
export function parseAmounts(text: string, path: string): Resources {
  const parts = text.split(',').map((part) => part.trim());
  if (parts.length > most) throw new InputError(path, `more than ${most} amounts`);
  const amounts: Record<string, number> = {};
  for (const part of parts) {
    const [, name, quantity] = /^([A-Za-z0-9./_-]+)\s*=\s*(\S+)$/.exec(part) ?? [];
    if (name === undefined || quantity === undefined) {
      throw new InputError(
        path,
        `${JSON.stringify(part.slice(0, 64))} is not an amount: write cpu=4,memory=16Gi`,
      );
    }
    const type = resourceType(name);
    if (Object.hasOwn(amounts, type)) throw new InputError(path, `${name} appears twice: keep one`);
    amounts[type] = baseUnits(name, parseQuantity(quantity, path));
  }
  return amounts;
}
