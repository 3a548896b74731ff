const secretNames =
  /^(?:proxy)?authorization$|^(?:set)?cookie$|password$|passwd$|secret$|apikey$|^(?:curtail|access|auth|bearer|refresh|id)?token$|^databaseurl$/;
/** Deeper than this nothing is checked, and nothing is shown. */
const deepest = 8;

/** A copy of what is logged in which fields that are secret by their name (authorization, token, password …) are blank. */
export function redactFields(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error || value instanceof Date)
    return value;
  if (depth >= deepest) return '…';
  if (Array.isArray(value)) return value.map((item) => redactFields(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    const secret = secretNames.test(key.toLowerCase().replace(/[^a-z]/g, ''));
    copy[key] = secret ? '***' : redactFields(field, depth + 1);
  }
  return copy;
}
