import type { Chance } from '../../support/chance.js';

/** In an order of chance. */
export function shuffled<T>(all: readonly T[], chance: Chance): T[] {
  const left = [...all];
  const drawn: T[] = [];
  while (left.length > 0) drawn.push(...left.splice(Math.floor(chance.between(0, left.length)), 1));
  return drawn;
}
