import { describe, expect, it } from '@jest/globals';
import { needsAttention } from './needs-attention.js';

describe('what needs attention', () => {
  const nothing = { at: '', partitions: [], configured: [], webhook: null, outdated: [], consumers: [] };
  it('names its runbook, by the server or by its code', () => {
    const down = ['database', 'kafka', 'redis'].map((name) => ({ name, code: 'unreachable', reason: 'r' }));
    const full = { name: 'database', code: 'database-full', reason: 'the disk is full' };
    const found = needsAttention({ ...nothing, down: [...down, full], deadLetters: 1 });
    expect(found.map(({ runbook }) => runbook)).toEqual([
      'docs/runbooks/postgresql-down.md',
      'docs/runbooks/kafka-down.md',
      'docs/runbooks/redis-down.md',
      'docs/runbooks/disk-full.md',
      'docs/runbooks/dead-letters.md',
    ]);
  });
});

describe('a quota that is not met', () => {
  const rest = {
    at: '',
    down: [],
    configured: [],
    deadLetters: 0,
    webhook: null,
    outdated: [],
    consumers: [],
  };
  const remedyOf = (blocked?: string) => {
    const queue = {
      queue: 'root.a',
      above: { memory: 1 },
      code: 'impossible',
      reason: 'So.',
      enforcement: 'e-1',
    };
    const none = { count: 0, first: [] };
    const above = { count: 1, first: [{ ...queue, ...(blocked !== undefined && { blocked }) }] };
    const partition = { partition: 'default', above, due: none, waiting: none, inventory: null, stops: [] };
    return needsAttention({ ...rest, partitions: [partition as never] })[0]!.remedy;
  };

  it('is to be enforced, unless no run could free anything more', () => {
    expect(remedyOf()).toContain('curtail enforce root.a');
    expect(remedyOf('protected')).toContain('curtail enforce root.a');
    expect(remedyOf('guaranteed-floor')).toBe(
      'lower what is guaranteed in it, or raise its quota; see why with curtail explain queue root.a --partition default',
    );
  });
});

describe('a consumer that does not read', () => {
  const at = '2026-11-01T00:00:00.000Z';
  const nothing = {
    at,
    down: [],
    partitions: [],
    configured: [],
    deadLetters: 0,
    webhook: null,
    outdated: [],
  };
  const executor = (ageSeconds: number) => [{ name: 'executor', lag: 12, ageSeconds }];

  it('needs attention once an event has waited for five minutes', () => {
    expect(needsAttention({ ...nothing, consumers: executor(299) })).toEqual([]);
    expect(needsAttention({ ...nothing, consumers: executor(301) })).toMatchObject([
      {
        code: 'consumer-behind',
        message: 'Consumer executor has not handled 12 events; the oldest has waited for 5 minutes.',
        remedy: expect.stringContaining('/readyz'),
      },
    ]);
  });

  it('says so once where it waits for a newer release', () => {
    const waiting = { consumer: 'executor', where: 'the log', type: 't', schemaVersion: 2, reason: 'r' };
    const found = needsAttention({ ...nothing, consumers: executor(900), outdated: [waiting] });
    expect(found.map(({ code }) => code)).toEqual(['consumer-waits']);
  });
});
