import { describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { archiveSettings, minimumAgeOfArchives } from './checkpoint-settings.js';
import { kafkaSettings } from './kafka-settings.js';
import { retentionOfRecords, retentionSettings } from './retention-settings.js';

describe('the minimum age of archives', () => {
  const ageOf = (env: Record<string, string>) =>
    minimumAgeOfArchives(readSettings({ ...archiveSettings, ...kafkaSettings }, env));

  it('is 35 days, or longer than Kafka keeps messages', () => {
    const kafka = { KAFKA_BROKERS: 'one:9092' };
    expect(ageOf({})).toBe(35);
    expect(ageOf(kafka)).toBe(35);
    expect(ageOf({ ...kafka, CURTAIL_KAFKA_RETENTION_HOURS: '960' })).toBe(41);
    expect(ageOf({ CURTAIL_KAFKA_RETENTION_HOURS: '960' })).toBe(35);
  });
});

describe('the retention of earlier configurations and dead letters', () => {
  const daysOf = (env: Record<string, string>) => retentionOfRecords(readSettings(retentionSettings, env));

  it('is that of runs, and at least a year', () => {
    expect(daysOf({})).toBe(365);
    expect(daysOf({ CURTAIL_RUN_RETENTION_DAYS: '30' })).toBe(365);
    expect(daysOf({ CURTAIL_RUN_RETENTION_DAYS: '730' })).toBe(730);
  });
});
