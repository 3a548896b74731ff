import { setting, wholeNumber } from '#platform';

const days = wholeNumber({ min: 1, max: 3650 });

/**
 * The retention of finished work. Every process deletes expired rows; those that only the console has, the process of
 * the console.
 */
export const retentionSettings = {
  runRetentionDays: setting('CURTAIL_RUN_RETENTION_DAYS', days, {
    default: 90,
    help: 'Retention of ended runs and their victims in queries, in days; the log keeps them',
  }),
  noticeRetentionDays: setting('CURTAIL_NOTICE_RETENTION_DAYS', days, {
    default: 90,
    help: 'Retention of notices in queries, in days; the log keeps them',
  }),
  configurationRetentionDays: setting('CURTAIL_CONFIGURATION_RETENTION_DAYS', days, {
    default: 365,
    help: 'Retention of earlier versions of configurations, in days; the version in force stays',
  }),
  deadLetterRetentionDays: setting('CURTAIL_DEAD_LETTER_RETENTION_DAYS', days, {
    default: 365,
    help: 'Retention of dead letters, in days',
  }),
  replayRetentionDays: setting('CURTAIL_REPLAY_RETENTION_DAYS', days, {
    default: 90,
    help: 'Retention of replays that do not run, in days since their last activity',
  }),
  nodeRetentionDays: setting('CURTAIL_NODE_RETENTION_DAYS', days, {
    default: 30,
    help: 'Retention of nodes used for preemption, in days; longer than a policy leaves a node alone',
  }),
};
