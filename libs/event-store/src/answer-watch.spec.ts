import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { AnswerWatch } from './answer-watch.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('has no timer while no connection waits for an answer', () => {
  const watch = new AnswerWatch('postgres://nowhere', { silenceMs: 1000 });
  const connection = { waitingSince: undefined as number | undefined, cut: () => {} };
  watch.add(connection);
  expect(jest.getTimerCount()).toBe(0);
  connection.waitingSince = performance.now();
  watch.begun();
  expect(jest.getTimerCount()).toBe(1);
  // The next statement is as old as half of the silence when the first could be overdue.
  jest.advanceTimersByTime(500);
  connection.waitingSince = performance.now();
  watch.begun();
  jest.advanceTimersByTime(500);
  expect(jest.getTimerCount()).toBe(1);
  connection.waitingSince = undefined;
  jest.advanceTimersByTime(500);
  expect(jest.getTimerCount()).toBe(0);
  watch.close();
});
