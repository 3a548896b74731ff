import { counted } from '../counted.js';
import type { FreezeWindow } from '../events/control.js';
import { because, partOf } from './parts.js';
import type { Sentences } from './sentences.js';

export const controlSentences: Sentences = {
  ModeChanged: ({ by, mode }) => `user ${by} set the mode to ${mode}`,
  KillSwitchSet: (event) =>
    `user ${event.by} stopped all evictions of ${partOf(event.queue)}${because(event)}`,
  KillSwitchCleared: ({ by, queue }) => `user ${by} resumed evictions of ${partOf(queue)}`,
  FreezeSet: (event) =>
    `${setterOf(event)} froze ${partOf(event.queue)}${windowOf(event.window)}${because(event)}`,
  FreezeCleared: (event) => `${setterOf(event)} cleared ${counted(event.freezes.length, 'freeze')}`,
  InventoryAccepted: ({ by, sequence, drops, of }) =>
    `user ${by} accepted the listing ${sequence}: ${drops} of ${of} running allocations were removed`,
  InventoryReset: ({ by }) =>
    `user ${by} reset the sequences of the inventory; it is unknown until the next complete listing`,
  DeadLettersRetried: ({ by, letters }) => `user ${by} retried ${counted(letters.length, 'dead letter')}`,
  DeadLettersDiscarded: (event) =>
    `user ${event.by} discarded ${counted(event.letters.length, 'dead letter')}${because(event)}`,
};

const setterOf = ({ by, configured }: { by: string; configured?: boolean | undefined }): string =>
  configured ? `the configuration of ${by}` : `user ${by}`;

/** When a freeze is in effect: once, or by its rule. */
function windowOf(window: FreezeWindow): string {
  if (!('rule' in window)) return ` from ${window.from} until ${window.until}`;
  const { start, timeZone, duration, rule } = window;
  return ` from ${start} (${timeZone}) for ${duration} each time, by the rule ${rule}`;
}
