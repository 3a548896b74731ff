import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Shutdown } from './shutdown.js';

/** A shutdown with signals, an exit and a clock of its own. */
function setUp() {
  const signals = new EventEmitter();
  const lines: string[] = [];
  const exits: number[] = [];
  const deadlines: { ms: number; run: () => void }[] = [];
  let exited: (code: number) => void = () => {};
  const firstExit = new Promise<number>((resolve) => {
    exited = resolve;
  });
  const shutdown = new Shutdown({
    log: pino({}, { write: (line: string) => lines.push(line) }),
    deadlineSeconds: 5,
    signals: signals,
    underNpm: false,
    exit: (code) => {
      exits.push(code);
      exited(code);
    },
    after: (ms, run) => deadlines.push({ ms, run }),
  });
  shutdown.listen();
  return { signals, lines, exits, deadlines, shutdown, firstExit };
}
const never = () => new Promise<void>(() => {});

describe('shutdown', () => {
  it('ends phase by phase, within a phase the last hook first, one after the other', async () => {
    const { shutdown, signals, firstExit } = setUp();
    const order: string[] = [];
    const end = (name: string) => async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    shutdown.register('postgres', 'postgres', end('postgres'));
    shutdown.register('pools', 'pool 1', end('pool 1'));
    shutdown.register('pools', 'pool 2', end('pool 2'));
    shutdown.register('http', 'http', end('http'));
    shutdown.register('consumers', 'consumer', end('consumer'));
    shutdown.register('workers', 'worker', end('worker'));
    signals.emit('SIGTERM');
    expect(await firstExit).toBe(0);
    const names = ['http', 'worker', 'consumer', 'pool 2', 'pool 1', 'postgres'];
    expect(order).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('exits immediately on a second signal (%s)', (signal, code) => {
    const { shutdown, signals, exits } = setUp();
    shutdown.register('workers', 'a worker that hangs', never);
    signals.emit('SIGTERM');
    expect(exits).toEqual([]);
    signals.emit(signal);
    expect(exits).toEqual([code]);
  });

  it('exits at its deadline, and names the hanging hook', () => {
    const { shutdown, signals, exits, deadlines, lines } = setUp();
    shutdown.register('workers', 'a worker that hangs', never);
    signals.emit('SIGINT');
    expect(deadlines.map(({ ms }) => ms)).toEqual([5000]);
    deadlines[0]!.run();
    expect(exits).toEqual([1]);
    expect(lines.join('')).toContain('waiting for a worker that hangs');
  });

  it('continues after a failing hook, and exits with a status that shows it', async () => {
    const { shutdown, signals, firstExit, lines } = setUp();
    let closed = false;
    shutdown.register('pools', 'the pool', () => {
      closed = true;
    });
    shutdown.register('workers', 'the worker', () => Promise.reject(new Error('broken')));
    signals.emit('SIGTERM');
    expect(await firstExit).toBe(1);
    expect(closed).toBe(true);
    expect(lines.join('')).toContain('Could not end the worker.');
  });

  it('ends everything after an unhandled error, and exits immediately on another', async () => {
    const { shutdown, signals, firstExit, exits, lines } = setUp();
    let ended = false;
    shutdown.register('workers', 'the worker', () => {
      ended = true;
    });
    signals.emit('unhandledRejection', new Error('lost promise'));
    expect(await firstExit).toBe(1);
    expect(ended).toBe(true);
    expect(lines.join('')).toContain('lost promise');
    signals.emit('uncaughtException', new Error('and another'));
    expect(exits).toEqual([1, 1]);
  });

  it('runs once, however often it is requested', async () => {
    const { shutdown, exits } = setUp();
    let times = 0;
    shutdown.register('app', 'the application', () => {
      times++;
    });
    await Promise.all([shutdown.run(3), shutdown.run()]);
    expect([times, exits]).toEqual([1, [3]]);
  });
});
