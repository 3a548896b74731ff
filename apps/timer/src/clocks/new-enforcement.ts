import { randomInt } from 'node:crypto';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** The id of a run, `r-…` of a round: short enough to type, with 60 random bits. */
export function newEnforcement(kind: 'e' | 'r' = 'e'): string {
  let id = `${kind}-`;
  for (let i = 0; i < 12; i++) id += letters[randomInt(letters.length)];
  return id;
}
