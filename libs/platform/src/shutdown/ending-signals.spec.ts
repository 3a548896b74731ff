import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { onEndingSignal } from './shutdown.js';

function setUp(underNpm: boolean) {
  const signals = new EventEmitter();
  const requests: [string, boolean][] = [];
  let at = 0;
  onEndingSignal((signal, again) => requests.push([signal, again]), { signals, underNpm, now: () => at });
  const send = (signal: string, atMs: number) => {
    at = atMs;
    signals.emit(signal);
  };
  return { requests, send };
}

describe('signals that end a process', () => {
  it('are each a request; all but the first say "again"', () => {
    const { requests, send } = setUp(false);
    send('SIGHUP', 0);
    send('SIGTERM', 1);
    send('SIGINT', 2);
    expect(requests).toEqual([
      ['SIGHUP', false],
      ['SIGTERM', true],
      ['SIGINT', true],
    ]);
  });

  it('are one request where npm repeats it', () => {
    const { requests, send } = setUp(true);
    send('SIGINT', 0);
    send('SIGINT', 999);
    send('SIGINT', 1000);
    expect(requests).toEqual([
      ['SIGINT', false],
      ['SIGINT', true],
    ]);
  });
});
