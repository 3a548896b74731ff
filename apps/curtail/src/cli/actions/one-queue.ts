import type { Action } from '../invocation/invocation.js';
import { CommandError } from '../terminal/errors.js';

/** A command that takes its queue as an argument, as an option, or not at all. */
export const withQueue = (action: Action): Action => ({
  run: (invocation, ...received) => {
    const [given, options, ...rest] = received as unknown as [
      string | undefined,
      { queue?: string },
      ...unknown[],
    ];
    return action.run(
      invocation,
      ...([{ ...options, ...oneQueue(given, options.queue) }, ...rest] as never[]),
    );
  },
});

/** @throws CommandError for two different ones. */
export function oneQueue(given: string | undefined, option: string | undefined): { queue?: string } {
  if (given !== undefined && option !== undefined && given !== option) {
    throw new CommandError(`two queues are named, ${given} and --queue ${option}; name one`);
  }
  const queue = given ?? option;
  return queue === undefined ? {} : { queue };
}
