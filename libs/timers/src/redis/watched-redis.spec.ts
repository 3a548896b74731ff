import { describe, expect, it } from '@jest/globals';
import { redisWarnings } from './watched-redis.js';

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
  it('gives no warning of a server that suits wake-ups', () => {
    expect(redisWarnings(info({}))).toEqual([]);
  });

  it.each([
    ['configured_hz', '10', 'wake-ups come up to 100 ms late'],
    ['maxmemory_policy', 'allkeys-lru', '(maxmemory-policy allkeys-lru)'],
    ['aof_enabled', '0', 'keeps no append-only file'],
  ])('warns of %s %s', (name, value, warning) => {
    expect(redisWarnings(info({ [name]: value }))).toEqual([expect.stringContaining(warning)]);
  });

  it('gives no warning of settings that the server does not show', () => {
    expect(redisWarnings('# Server\r\nredis_version:7.0.15\r\n')).toEqual([]);
  });
});
