import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InventoryStatus } from '#api-client';
import { json, problemReply, TestServer } from '../../testing/test-server.js';
import { type Circumstances, curtail } from '../../testing/test-terminal.js';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

const call = (argv: string[], circumstances: Circumstances = {}) =>
  curtail(argv, { ...circumstances, env: { CURTAIL_SERVER: server.url } });

const status: InventoryStatus = {
  unread: [{ place: 'curtail.inventory/3', reports: 4 }],
  items: [
    {
      partition: 'default',
      known: true,
      source: '//scheduler',
      lastReportAt: new Date(Date.now() + 60_000).toISOString(),
      listedAt: '2026-11-21T10:00:00.000Z',
      listedSequence: 90,
      newestSequence: 100,
      held: null,
      notices: [],
    },
    {
      partition: 'gpu',
      known: false,
      source: '//scheduler',
      lastReportAt: '2026-11-21T10:00:00.000Z',
      listedAt: null,
      listedSequence: 0,
      newestSequence: 7,
      held: {
        sequence: 7,
        since: '2026-11-21T10:00:00.000Z',
        drops: 30,
        of: 40,
        queues: [
          { queue: 'root.a', drops: 20 },
          { queue: 'root.b', drops: 10 },
        ],
      },
      notices: [
        {
          code: 'listing-held',
          message: 'listing 7 of partition gpu is held',
          about: { kind: 'partition', name: 'gpu' },
          remedy: 'run `curtail inventory accept --partition gpu`',
          since: '2026-11-21T10:00:00.000Z',
          count: null,
          source: null,
        },
      ],
    },
  ],
};

describe('curtail inventory status', () => {
  it('shows each partition, what is unread, what is held, and what to do', async () => {
    server.replies['GET /v1/inventory'] = json(status);
    const {
      stdout,
      stderr,
      status: exit,
    } = await call(['--no-color', 'inventory', 'status'], { columns: 120 });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^PARTITION +KNOWN +SOURCE +LAST REPORT +LISTED +LISTING +NEWEST\n/);
    expect(stdout).toMatch(/default +yes +\/\/scheduler +just now .* 90 +100\n/);
    expect(stdout).toMatch(/gpu +no +\/\/scheduler .* - +- +7\n/);
    expect(stdout).toContain('unread: 4 on curtail.inventory/3\n');
    expect(stdout).toContain('would remove 30 of 40 running allocations: root.a 20, root.b 10\n');
    expect(stdout).toContain('listing-held: listing 7 of partition gpu is held (since 2026-11-21');
    expect(stderr).toContain('next: if those allocations are gone: curtail inventory accept --partition gpu');
  });

  it('cuts neither a number nor the name of a partition', async () => {
    const partition = 'production-of-the-third-data-center';
    const numbers = { listedSequence: 1_763_740_029_001_234, newestSequence: 1_763_740_029_001_235 };
    server.replies['GET /v1/inventory'] = json({
      items: [{ ...status.items[0], partition, ...numbers }],
      unread: [],
    });
    const { stdout } = await call(['inventory', 'status'], { columns: 80 });
    expect(stdout).toContain(`\n${partition}  `);
    expect(stdout).toContain('  1763740029001234  1763740029001235\n');
  });

  it('gives the same to programs', async () => {
    server.replies['GET /v1/inventory'] = json(status);
    const { stdout } = await call(['inventory', 'status', '--partition', 'gpu', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual(status);
    expect(server.seen[0]?.url).toBe('/v1/inventory?partition=gpu');
  });
});

describe('curtail inventory accept', () => {
  it('shows what is gone', async () => {
    server.replies['POST /v1/inventory/accept'] = json({
      partition: 'default',
      sequence: 7,
      drops: 30,
      of: 40,
    });
    const { stdout } = await call(['inventory', 'accept'], { columns: 120 });
    expect(stdout).toBe('listing 7 of partition default is applied: 30 of 40 running allocations are gone\n');
    expect(JSON.parse(server.seen[0]?.body ?? '')).toMatchObject({
      partition: 'default',
      by: expect.any(String),
    });
  });

  it('fails where none is held', async () => {
    server.replies['POST /v1/inventory/accept'] = problemReply(409, { title: 'No listing is held' });
    expect((await call(['inventory', 'accept'])).status).toBe(2);
  });
});

describe('curtail inventory reset', () => {
  const changes = () => server.seen.filter(({ method }) => method !== 'GET').length;
  const reset = json({ partition: 'default', listedSequence: 90, newestSequence: 100 });

  it('asks on a terminal, and changes nothing without a yes', async () => {
    server.replies['GET /v1/inventory'] = json(status);
    server.replies['POST /v1/inventory/reset'] = reset;
    const refused = await call(['inventory', 'reset'], { columns: 120, stdin: '\n' });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('Reset its sequences? [y/N] error: nothing was changed');
    expect(changes()).toBe(0);
    const { stdout } = await call(['inventory', 'reset'], { columns: 120, stdin: 'y\n' });
    expect(stdout).toContain('were reset (the newest was 100)');
  });

  it('wants --yes where no one can be asked', async () => {
    server.replies['GET /v1/inventory'] = json(status);
    server.replies['POST /v1/inventory/reset'] = reset;
    const refused = await call(['inventory', 'reset']);
    expect(refused.stderr).toContain('Add --yes to confirm.');
    expect((await call(['inventory', 'reset', '--yes'])).status).toBe(0);
    expect(changes()).toBe(1);
  });

  it('refuses a partition that does not exist before it asks', async () => {
    server.replies['GET /v1/inventory'] = problemReply(404, {
      type: 'urn:curtail:problem:unknown-partition',
      title: 'There is no such partition',
      detail: 'There is no partition defalt. Did you mean default?',
      meant: 'default',
    });
    const refused = await call(['inventory', 'reset', '--partition', 'defalt'], {
      columns: 120,
      stdin: 'y\n',
    });
    expect(refused).toMatchObject({ status: 2, stdout: '' });
    expect(refused.stderr).toContain('Did you mean default?');
    expect(refused.stderr).not.toContain('[y/N]');
    expect(changes()).toBe(0);
  });
});
