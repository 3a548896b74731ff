import { randomInt } from 'node:crypto';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** The id of a run: short enough to type, and 60 bits of chance. */
export function newEnforcement(): string {
  let id = 'e-';
  for (let i = 0; i < 12; i++) id += letters[randomInt(letters.length)];
  return id;
}
