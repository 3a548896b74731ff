import { setting, wholeNumber } from '@curtail/platform';

const days = wholeNumber({ min: 1, max: 3650 });

/** How long finished work is kept. Every process tidies up; what only the console has, the process of the console. */
export const retentionSettings = {
  runRetentionDays: setting('CURTAIL_RUN_RETENTION_DAYS', days, {
    default: 90,
    help: 'How long runs that have ended are shown, with their victims, in days; the log keeps them',
  }),
  noticeRetentionDays: setting('CURTAIL_NOTICE_RETENTION_DAYS', days, {
    default: 90,
    help: 'How long notices are shown, in days; the log keeps them',
  }),
  deadLetterRetentionDays: setting('CURTAIL_DEAD_LETTER_RETENTION_DAYS', days, {
    default: 365,
    help: 'How long events that were put aside are kept for another try, in days',
  }),
  replayRetentionDays: setting('CURTAIL_REPLAY_RETENTION_DAYS', days, {
    default: 90,
    help: 'How long replays that do not run are listed, in days since their last sign',
  }),
  nodeRetentionDays: setting('CURTAIL_NODE_RETENTION_DAYS', days, {
    default: 30,
    help: 'How long is remembered on which nodes starts took the place of others, in days; longer than any back-off of fair-share',
  }),
};
