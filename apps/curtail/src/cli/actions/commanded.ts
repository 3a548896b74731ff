import type { Invocation } from '../invocation/invocation.js';
import { printLine } from '../output/print.js';

/** What a command of an operator is about: a queue and all below it, else a partition. */
export interface OperatedPlace {
  partition: string;
  queue?: string;
}

/** Prints the result of a command: what it has done, and the next step. */
export async function commanded(
  invocation: Invocation,
  value: unknown,
  name: string,
  [sentence, next]: [string, string],
): Promise<undefined> {
  await printLine(invocation, value, sentence, name);
  invocation.report(`next: ${next}`);
}

/** As `-o name` prints it. */
export function placeName(partition: string, queue: string | undefined): string {
  return queue === undefined ? `partition/${partition}` : `queue/${queue}`;
}

export function placeText(partition: string, queue: string | undefined): string {
  return queue === undefined ? `partition ${partition}` : `${queue} and below (partition ${partition})`;
}
