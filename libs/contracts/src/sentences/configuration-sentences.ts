import { counted } from '../counted.js';
import type { EventData } from '../events/catalog.js';
import { because } from './parts.js';
import { quotaSentence } from './quota-sentence.js';
import type { Sentences } from './sentences.js';

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
