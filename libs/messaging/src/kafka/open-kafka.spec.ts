import { describe, expect, it } from '@jest/globals';
import { clientLogText } from './open-kafka.js';

describe('a log entry of the client', () => {
  it('is reported with its subject', () => {
    const log = {
      message: 'Connection error: connect ECONNREFUSED',
      broker: 'k:9092',
      error: 'no',
      clientId: 'x',
    };
    expect(clientLogText(log)).toBe('Connection error: connect ECONNREFUSED; no; broker k:9092');
  });

  it.each([
    'Crash: KafkaJSProtocolError: The coordinator is loading',
    'Connection error: write after end',
    'The group is rebalancing, re-joining',
    'Response Metadata(key: 3, version: 6)',
  ])('is not reported if it is reported another way, or harmless: %s', (message) => {
    expect(clientLogText({ message })).toBeUndefined();
  });
});
