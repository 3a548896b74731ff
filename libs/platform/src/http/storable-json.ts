import { findUnstorable, InputError, mayBeUnstorable } from '#contracts';

/**
 * @param value of a JSON text, whose depth is limited.
 * @throws InputError with the path of the field if one of its texts or keys is none that the database holds.
 */
export function assertStorableJson(text: string, value: unknown): void {
  // Nearly every body is searched as a text alone.
  const found = mayBeUnstorable(text) ? findUnstorable(value, '') : undefined;
  if (found) throw new InputError(found.path, found.why);
}
