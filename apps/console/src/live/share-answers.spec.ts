import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { SharedAnswers, sharedForMs } from './share-answers.js';

const at = (position: number) => ({ transactionId: '7', position: String(position) });
const answer = (text: string, bytes = text.length) => ({ text, bytes });

let answers: SharedAnswers<{ text: string; bytes: number }>;

beforeEach(() => {
  jest.useFakeTimers();
  answers = new SharedAnswers();
});
afterEach(() => {
  jest.useRealTimers();
});

it('gives an answer that is under way, and one that is there, to those who have seen no more than it knows', async () => {
  const take = answers.begin('a', at(5), 0);
  const early = answers.find('a', at(4));
  expect(answers.find('b', at(4))).toBeUndefined();
  expect(answers.find('a', at(6))).toBeUndefined();
  take(answer('one'));
  take(undefined);
  expect(await early).toMatchObject({ text: 'one' });
  expect(await answers.find('a', at(5))).toMatchObject({ text: 'one' });
});

it('gives an answer longer that was begun when the tables had followed the log', async () => {
  answers.begin('a', at(5), 499)(answer('one'));
  answers.begin('b', at(5), 500)(answer('two'));
  jest.advanceTimersByTime(sharedForMs.atOnce);
  expect(answers.find('a', at(5))).toBeUndefined();
  expect(await answers.find('b', at(5))).toMatchObject({ text: 'two' });
  jest.advanceTimersByTime(sharedForMs.settled);
  expect(answers.find('b', at(5))).toBeUndefined();
});

it('forgets an answer soon, and at once where it failed or a later one was begun', async () => {
  answers.begin('a', at(5), 0)(answer('one'));
  jest.advanceTimersByTime(sharedForMs.atOnce);
  expect(answers.find('a', at(5))).toBeUndefined();

  const failed = answers.begin('a', at(5), 0);
  const waiting = answers.find('a', at(5));
  failed(undefined);
  expect(await waiting).toBeUndefined();
  expect(answers.find('a', at(5))).toBeUndefined();

  const [first, second] = [answers.begin('a', at(5), 0), answers.begin('a', at(6), 0)];
  second(answer('two'));
  first(answer('one'));
  expect(await answers.find('a', at(6))).toMatchObject({ text: 'two' });
});

it('keeps no more than so many answers and bytes', async () => {
  for (let i = 0; i < 300; i++) answers.begin(String(i), at(5), 0);
  expect([answers.find('199', at(5)) !== undefined, answers.find('200', at(5))]).toEqual([true, undefined]);
  jest.advanceTimersByTime(sharedForMs.atOnce);
  answers.begin('large', at(5), 0)(answer('x', 64 * 1024 * 1024));
  await answers.find('large', at(5));
  answers.begin('next', at(5), 0);
  expect(answers.find('next', at(5))).toBeUndefined();
  jest.advanceTimersByTime(sharedForMs.atOnce);
  answers.begin('next', at(5), 0);
  expect(answers.find('next', at(5))).toBeDefined();
});
