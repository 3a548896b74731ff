import { enforcements } from './enforcements.js';
import { allocations, events, notices } from './lists.js';
import { plans } from './plans.js';
import { queues } from './queues.js';
import type { Thing } from './thing.js';
import { timers } from './timers.js';

/** All that `curtail get` lists, by the word it is asked for with. */
export const things = { queues, timers, enforcements, plans, events, allocations, notices };

/** The thing behind a word of `thingWords`. */
export function thingOf(word: keyof typeof things): Thing<unknown> {
  return things[word] as Thing<never> as Thing<unknown>;
}
