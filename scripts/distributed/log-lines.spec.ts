import { Readable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { Recorded } from '../../test/support/recorded.js';
import { LogLines } from './log-lines.js';

it('LogLines shows lines of a log as lines for people, and all others as they are, each with its process', async () => {
  const lines = new Recorded<string>();
  const log = {
    level: 'warn',
    time: '2026-11-29T10:00:00.123Z',
    err: { stack: 'Error: lost\n    at here' },
    msg: 'Could not read; retrying.',
  };
  new LogLines(['timer', 'planner-2'], { write: (text) => lines.add(text) }).follow(
    'timer',
    Readable.from([`${JSON.stringify(log)}\n`, '(node:7) Warning\n', '{"level":"warn","ti']),
  );
  expect(await lines.first(5)).toEqual([
    'timer     | 10:00:00.123 WARN  Could not read; retrying.\n',
    'timer     |     Error: lost\n',
    'timer     |     at here\n',
    'timer     | (node:7) Warning\n',
    'timer     | {"level":"warn","ti\n',
  ]);
});
