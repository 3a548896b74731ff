import { constant, type SettingsOf, setting, wholeNumber } from '#platform';

const days = wholeNumber({ min: 1, max: 3650 });

/**
 * The retention of finished work. Every process deletes expired rows; those that only the console has, the process of
 * the console.
 */
export const retentionSettings = {
  runRetentionDays: setting('CURTAIL_RUN_RETENTION_DAYS', days, {
    default: 90,
    help: 'Retention of ended runs with their victims, of notices and of replays in queries, in days; of earlier configurations and dead letters at least 365',
  }),
  /** Of nodes used for preemption; longer than a policy leaves a node alone. */
  nodeRetentionDays: constant(30),
  /** Of marks of handled events: events on Kafka, which keeps them for a week, may be delivered again after a group lost its offsets. */
  inboxDays: constant(8),
};

/** Of earlier versions of configurations, and of dead letters: people ask for them much later than for runs. */
export const retentionOfRecords = ({ runRetentionDays }: SettingsOf<typeof retentionSettings>): number =>
  Math.max(365, runRetentionDays);
