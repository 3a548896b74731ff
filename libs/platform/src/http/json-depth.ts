/**
 * Finds before parsing whether JSON is nested deeper, or has more values, than is permitted: counts brackets and commas outside of strings.
 *
 * @param limits.values keys are not counted.
 */
export function exceeds(
  json: string,
  { depth: deepest, values: most = Number.POSITIVE_INFINITY }: { depth: number; values?: number | undefined },
): 'depth' | 'values' | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
      continue;
    }
    if (code === 0x22) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > deepest) return 'depth';
      if (++values > most) return 'values';
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x2c && ++values > most) return 'values';
  }
  return undefined;
}
