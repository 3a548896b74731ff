import { describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { archiveSettings } from './checkpoint-settings.js';
import { kafkaSettings } from './kafka-settings.js';
import { retentionOfRecords, retentionSettings } from './retention-settings.js';

describe('the retention of earlier configurations and dead letters', () => {
  const daysOf = (env: Record<string, string>) => retentionOfRecords(readSettings(retentionSettings, env));

  it('is that of runs, and at least a year', () => {
    expect(daysOf({})).toBe(365);
    expect(daysOf({ CURTAIL_RUN_RETENTION_DAYS: '30' })).toBe(365);
    expect(daysOf({ CURTAIL_RUN_RETENTION_DAYS: '730' })).toBe(730);
  });
});

it('keeps marks of handled events, and months of the log, for longer than Kafka keeps messages', () => {
  const { kafkaRetentionHours, inboxDays, archiveAfterDays } = readSettings(
    { ...kafkaSettings, ...retentionSettings, ...archiveSettings },
    {},
  );
  const days = kafkaRetentionHours / 24;
  expect(inboxDays).toBeGreaterThan(days);
  expect(archiveAfterDays).toBeGreaterThan(days);
});
