import { expect, it } from '@jest/globals';
import { isConcerned, type News } from './concerned.js';

const news = (name: string, queue = 'default'): News => ({
  position: '1',
  time: '2026-11-26T10:00:00Z',
  name,
  stream: 's',
  version: 1,
  queue,
});

it.each<[key: string[], of: News, isRead: boolean]>([
  [['queues', 'default'], news('VictimEvicted', 'root.a'), true],
  [['anything'], news('KillSwitchSet'), true],
  [['access'], news('VictimEvicted', 'root.a'), false],
  [['access'], 'everything', true],
  [['queues', 'default'], 'usage', true],
  [['history', 'default', 'root.a', 'hour'], 'usage', true],
  [['runs', 'default'], 'usage', false],
  [['access'], 'usage', false],
  [['stops'], news('KillSwitchCleared'), true],
  [['stops'], news('VictimEvicted', 'root.a'), false],
  [['freezes', 'default'], news('FreezeSet'), true],
  [['freezes', 'default'], news('KillSwitchSet'), false],
  [['history', 'default', 'root.a', 'hour'], news('VictimEvicted', 'root.a'), true],
  [['history', 'default', 'root.a', 'hour'], news('EnforcementStarted', 'root'), true],
  [['history', 'default', 'root.a', 'hour'], news('VictimEvicted', 'root.a.b'), true],
  [['history', 'default', 'root.a', 'hour'], news('KillSwitchSet'), true],
  [['history', 'default', 'root.a', 'hour'], news('VictimEvicted', 'root.ab'), false],
])('of the query %j, the news %j: %j', (key, of, isRead) => {
  expect(isConcerned(key, [])).toBe(false);
  expect(isConcerned(key, [news('VictimEvicted', 'root.other'), of])).toBe(
    isRead || isConcerned(key, [news('VictimEvicted', 'root.other')]),
  );
  expect(isConcerned(key, [of])).toBe(isRead);
});
