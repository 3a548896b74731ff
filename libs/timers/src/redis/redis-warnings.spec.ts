import { describe, expect, it } from '@jest/globals';
import { redisWarnings } from './redis-warnings.js';

const info = (facts: Record<string, string>) =>
  `# Server\r\n${Object.entries({
    configured_hz: '100',
    maxmemory_policy: 'noeviction',
    aof_enabled: '1',
    ...facts,
  })
    .map(([name, value]) => `${name}:${value}`)
    .join('\r\n')}\r\n`;

describe('redisWarnings', () => {
  it('says nothing of a server as the doorbell wants it', () => {
    expect(redisWarnings(info({}))).toEqual([]);
  });

  it.each([
    ['configured_hz', '10', 'rings come up to 100 ms late'],
    ['maxmemory_policy', 'allkeys-lru', '(maxmemory-policy allkeys-lru)'],
    ['aof_enabled', '0', 'keeps no append-only file'],
  ])('warns of %s %s', (name, value, says) => {
    expect(redisWarnings(info({ [name]: value }))).toEqual([expect.stringContaining(says)]);
  });

  it('says nothing of what the server does not tell', () => {
    expect(redisWarnings('# Server\r\nredis_version:7.0.15\r\n')).toEqual([]);
  });
});
