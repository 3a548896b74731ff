import { CommandError } from '../terminal/errors.js';

/** Exactly one of several ways to name the input. */
export function eitherOf<T>(...ways: [string, T | undefined][]): void {
  const given = ways.filter(([, value]) => value !== undefined);
  if (given.length === 1) return;
  const names = ways.map(([name]) => name);
  const problem = given.length === 0 ? 'no input' : 'more than one input';
  throw new CommandError(`${problem}: give either ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}
