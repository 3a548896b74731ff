import type { EventData } from '../events/catalog.js';
import type { FreezeWindow } from '../events/control.js';
import type { QuotaValues } from '../events/shapes.js';
import { amountText } from '../planning/amount-text.js';
import type { Resources } from '../planning/policy.js';
import { shareText } from '../shares/cluster-share.js';
import { counted } from '../words.js';
import { because, queueOrPartition, type Sentences } from './sentences.js';

/** `max: 200 GB memory becomes 120 GB memory; delay: 1 h becomes 20 s`. A queue that was not configured before had no max and no delay. */
function quotaSentence(previous: QuotaValues, current: QuotaValues): string {
  const parts = [...maxParts(previous, current), ...delayParts(previous.delayMs, current.delayMs)];
  // A quota that follows the cluster may be another share and the same amounts.
  return parts.length === 0 ? 'its quota has another notation' : parts.join('; ');
}

function maxParts(previous: QuotaValues, current: QuotaValues): string[] {
  const [old, now] = [previous.max ?? {}, current.max ?? {}];
  const types = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  const changed = types.filter((type) => old[type] !== now[type]);
  const amounts = changed.map((type) => `max: ${amountOf(type, old)} becomes ${amountOf(type, now)}`);
  const { maxShare: oldShare } = previous;
  const { maxShare: share } = current;
  if (oldShare === share) return amounts;
  const text = (value: QuotaValues['maxShare']) =>
    value === undefined ? 'fixed amounts' : `${shareText(value)} of the cluster`;
  return [`max: ${text(oldShare)} becomes ${text(share)}`, ...amounts];
}

const amountOf = (type: string, amounts: Resources): string => {
  const amount = amounts[type];
  return amount === undefined ? `no limit of ${type}` : amountText(type, amount);
};

/** As in tables: a delay of 0 is none, whether it was set or not. */
const delayText = (ms: number): string => (ms === 0 ? 'off' : `${ms / 1000} s`);

const delayParts = (old: number, now: number): string[] =>
  old === now ? [] : [`delay: ${delayText(old)} becomes ${delayText(now)}`];

export const configurationSentences: Sentences = {
  ConfigApplied: (event) =>
    `a configuration of ${counted(event.queues, 'queue')} is in force, ${event.changed} changed${sentBy(event)}${onlyQueueOf(event)}`,
  ConfigRefused: ({ errors }) => `a configuration was refused: ${counted(errors.length, 'error')}`,
  QuotaChanged: ({ previous, current }) => quotaSentence(previous, current),
  QueueRemoved: () => 'removed from the configuration',
  ConfigurationApproved: (event) =>
    `user ${event.by} approved all runs of configuration ${event.configuration} until ${event.until}${because(event)}`,
  ConfigurationRejected: (event) =>
    `user ${event.by} rejected all runs of configuration ${event.configuration}${because(event)}`,
  SettingsChanged: (event) =>
    `user ${event.by} changed settings of ${event.queue}: ${changesOf(event)}${because(event)}`,
};

/** `; user ann sent it`, `; user ann rolled back to version 17`, or nothing. */
function sentBy({ by, rolledBackTo }: EventData<'ConfigApplied'>): string {
  if (rolledBackTo !== undefined) {
    return `; ${by === undefined ? '' : `user ${by} `}rolled back to version ${rolledBackTo}`;
  }
  return by === undefined ? '' : `; user ${by} sent it`;
}

const onlyQueueOf = ({ onlyQueue }: EventData<'ConfigApplied'>): string =>
  onlyQueue === undefined ? '' : `; only ${onlyQueue} was sent`;

/** `victimsPerSecond from the configured value to 1, miss from 5 to 0` */
function changesOf({ changes }: EventData<'SettingsChanged'>): string {
  const shown = (value: unknown) => (value === null ? 'the configured value' : JSON.stringify(value));
  return changes.map(({ setting, from, to }) => `${setting} from ${shown(from)} to ${shown(to)}`).join(', ');
}

export const controlSentences: Sentences = {
  ModeChanged: ({ by, mode }) => `user ${by} set the mode to ${mode}`,
  KillSwitchSet: (event) =>
    `user ${event.by} stopped all evictions of ${queueOrPartition(event.queue)}${because(event)}`,
  KillSwitchCleared: ({ by, queue }) => `user ${by} resumed evictions of ${queueOrPartition(queue)}`,
  FreezeSet: (event) =>
    `${setterOf(event)} froze ${queueOrPartition(event.queue)}${windowOf(event.window)}${because(event)}`,
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
