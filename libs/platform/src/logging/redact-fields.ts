const secretNames =
  /^(?:proxy)?authorization$|^(?:set)?cookie$|password$|passwd$|secret$|apikey$|^(?:curtail|access|auth|bearer|refresh|id)?token$|^databaseurl$/;
/** Fields nested deeper than this are neither checked nor logged. */
const deepest = 8;

/** Copies a log entry with blanked fields that are secret by their name (authorization, token, password …). */
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
