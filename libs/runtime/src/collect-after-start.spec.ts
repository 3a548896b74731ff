import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { collectAll } from './collect-after-start.js';

it('collects what nothing refers to, and the process goes on', async () => {
  const garbage = new WeakRef({ bytes: new Array(1000).fill(0) });
  await nextTurn();
  await collectAll();
  await nextTurn();
  expect(garbage.deref()).toBeUndefined();
});
