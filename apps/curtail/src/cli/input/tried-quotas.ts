import { CommandError } from '../terminal/errors.js';
import { lowerCase, nameArgument } from './arguments.js';

/** Limits of a queue to try, in the notation of configurations. */
export interface TriedQuota {
  queue: string;
  max: Record<string, string>;
}

const queueName = nameArgument('queue', 'pool', 'timer');
const wanted = 'write a queue, and a type with a quantity, such as --max root.research memory=120G';

/**
 * The quotas of `--max root.research memory=120G vcore=30`, where a queue holds for the limits behind it.
 *
 * @param words all of a call: `--max` may be repeated.
 * @param queue that of `--queue`, to which limits without a queue belong.
 */
export function triedQuotas(words: readonly string[], queue?: string): TriedQuota[] {
  const quotas = new Map<string, Map<string, string>>();
  let current = queue;
  for (const word of words.flatMap((given) => given.trim().split(/\s+/))) {
    const at = word.indexOf('=');
    if (at === -1 && word !== '') {
      current = lowerCase(queueName(word));
      quotas.set(current, quotas.get(current) ?? new Map());
      continue;
    }
    if (at < 1 || at === word.length - 1) {
      throw new CommandError(
        `--max ${word} is not a limit; write a type and a quantity, such as memory=120G`,
      );
    }
    if (current === undefined) {
      throw new CommandError(`--max ${word} names no queue; ${wanted}`);
    }
    const limits = quotas.get(current) ?? new Map<string, string>();
    quotas.set(current, limits);
    const type = word.slice(0, at);
    if (limits.has(type)) throw new CommandError(`--max names ${type} twice; give one limit for it`);
    limits.set(type, word.slice(at + 1));
  }
  return [...quotas].map(([name, limits]) => {
    if (limits.size === 0) throw new CommandError(`--max ${name} has no limit; ${wanted}`);
    return { queue: name, max: Object.fromEntries(limits) };
  });
}

/** `root.research memory=120G` */
export const quotaText = ({ queue, max }: TriedQuota): string =>
  [queue, ...Object.entries(max).map(([type, quantity]) => `${type}=${quantity}`)].join(' ');
