import { CommandError } from '../errors.js';

/** Of two ways to say what to read, exactly one. */
export function eitherOf<T>(first: [string, T | undefined], second: [string, T | undefined]): void {
  const given = [first, second].filter(([, value]) => value !== undefined);
  if (given.length !== 1) {
    const problem = given.length === 0 ? 'nothing to read' : 'two things to read';
    throw new CommandError(`${problem}: give either ${first[0]} or ${second[0]}`);
  }
}
