import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeadLetter, DeadLetterDetail } from '#api-client';
import { json, problemReply, TestServer } from '../../testing/test-server.js';
import { type Circumstances, curtail } from '../../testing/test-terminal.js';

let server: TestServer;
beforeEach(async () => {
  server = await TestServer.start();
});
afterEach(() => server.stop());

const call = (argv: string[], circumstances: Circumstances = {}) =>
  curtail(['--no-color', 'dead-letters', ...argv], {
    columns: 160,
    ...circumstances,
    env: { CURTAIL_SERVER: server.url },
  });

const event = '0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70';
const name = `timer/${event}`;
const letter: DeadLetter = {
  ...{ consumer: 'timer', event, topic: 'curtail.quota', key: 'root.a', type: 'QuotaChanged' },
  ...{ parkedAt: '2026-11-21T10:00:00.000Z', reason: 'a slip of the pen', field: null, source: null },
  ...{ origin: 'curtail.quota/3@17', attempts: 1, retryAskedAt: null, retryBy: null, retryAt: null },
  ...{ retryable: true, nextStep: 'remove the reason' },
};
const detail: DeadLetterDetail = {
  ...letter,
  logged: {
    ...{ position: '7', partition: 'default', stream: 'config-default', version: 3 },
    ...{ time: '2026-11-21T09:00:00.000Z', data: { queue: 'root.a' } },
  },
};
const bodies = () => server.seen.flatMap(({ body }) => (body ? [JSON.parse(body) as object] : []));

describe('curtail dead-letters list', () => {
  it('shows each with its reason, by the filter that is given', async () => {
    server.replies['GET /v1/dead-letters'] = json({ items: [letter] });
    const { stdout, stderr, status } = await call(['list', '--consumer', 'timer', '--type', 'QuotaChanged']);
    expect(status).toBe(0);
    expect(stdout).toContain(name);
    expect(stdout).toContain('a slip of the pen');
    expect(stderr).toContain(`next: see what to do about one: curtail dead-letters show ${name}`);
    expect(server.seen[0]?.url).toBe('/v1/dead-letters?consumer=timer&type=QuotaChanged&limit=100');
  });

  it('prints names that the other commands take', async () => {
    server.replies['GET /v1/dead-letters'] = json({ items: [letter] });
    expect((await call(['list', '-o', 'name'])).stdout).toBe(`${name}\n`);
  });
});

describe('curtail dead-letters show', () => {
  it('takes a unique prefix of the event, and lists the candidates of another one', async () => {
    const others = [name, `timer/0197f3c2-9${event.slice(10)}`];
    server.replies['GET /v1/names/dead-letter'] = ({ url }, response) => {
      const prefix = new URL(url, server.url).searchParams.get('prefix') ?? '';
      return json({ items: others.filter((known) => known.startsWith(prefix)) })({} as never, response);
    };
    server.replies[`GET /v1/dead-letters/${name}`] = json(detail);
    expect((await call(['show', 'timer/0197f3c2-8'])).stdout).toContain(name);
    const ambiguous = await call(['show', 'timer/0197']);
    expect(ambiguous.status).toBe(2);
    expect(ambiguous.stderr).toContain(`timer/0197 is ambiguous: ${others.join(', ')}`);
    const none = await call(['show', 'timer/ffff']);
    expect(none).toMatchObject({ status: 2, stdout: '' });
    expect(none.stderr).toContain('there is no dead letter timer/ffff');
  });

  it('shows where it stood, what to do, and its event', async () => {
    server.replies[`GET /v1/dead-letters/${name}`] = json(detail);
    const { stdout } = await call(['show', name]);
    expect(stdout).toContain('origin: curtail.quota/3@17\n');
    expect(stdout).toContain('remedy: remove the reason\n');
    expect(stdout).toContain('in the log: position 7, stream config-default 3,');
    expect(stdout).toContain('"queue": "root.a"');
  });

  it('shows what a letter looks like', async () => {
    const { stderr, status } = await call(['show', 'timer']);
    expect(status).toBe(2);
    expect(stderr).toContain('"timer" is not a dead letter: write consumer and event');
    expect(server.seen).toEqual([]);
  });
});

describe('curtail dead-letters retry', () => {
  const done = { letters: [{ consumer: 'timer', event }], left: [], more: false };

  it('waits for what becomes of one: handled', async () => {
    server.replies[`GET /v1/dead-letters/${name}`] = json(detail);
    server.replies['POST /v1/dead-letters/retry'] = (_request, response) => {
      server.replies[`GET /v1/dead-letters/${name}`] = problemReply(404, {
        title: 'There is no such dead letter',
      });
      return json(done)(_request, response);
    };
    const { stdout, status } = await call(['retry', name]);
    expect([status, stdout]).toEqual([0, `${name} was handled\n`]);
    expect(bodies()).toEqual([{ consumer: 'timer', event, by: expect.any(String) }]);
  });

  it('waits for what becomes of one: dead again, with the new reason', async () => {
    server.replies[`GET /v1/dead-letters/${name}`] = json(detail);
    server.replies['POST /v1/dead-letters/retry'] = (_request, response) => {
      const again = { ...detail, attempts: 2, reason: 'another slip' };
      server.replies[`GET /v1/dead-letters/${name}`] = json(again);
      return json(done)(_request, response);
    };
    const { stdout, status } = await call(['retry', name]);
    expect([status, stdout]).toEqual([2, `${name} failed again: another slip\n`]);
  });

  it('takes all only when that is said and confirmed', async () => {
    server.replies['POST /v1/dead-letters/retry'] = json({
      ...done,
      left: [{ consumer: 'executor', event, nextStep: 'no' }],
    });
    expect((await call(['retry', '--consumer', 'timer'])).stderr).toContain('name a letter');
    expect((await call(['retry', '--all'], { stdin: 'n\n' })).stderr).toContain('nothing was changed');
    expect(server.seen).toEqual([]);
    const { stdout } = await call(['retry', '--all', '--consumer', 'timer', '--yes']);
    expect(stdout).toBe('1 dead letter will be retried, 1 dead letter cannot be\n');
    expect(bodies()).toEqual([{ consumer: 'timer', all: true, by: expect.any(String) }]);
  });
});

describe('curtail dead-letters discard', () => {
  it('asks for a reason, and repeats until no letter is left', async () => {
    expect((await call(['discard', name])).stderr).toContain('--reason');
    let more = true;
    server.replies['POST /v1/dead-letters/discard'] = (request, response) => {
      const page = { letters: [{ consumer: 'timer', event }], left: [], more };
      more = false;
      return json(page)(request, response);
    };
    const { stdout } = await call(['discard', '--all', '--reason', 'old', '-y']);
    expect(stdout).toBe('2 dead letters discarded\n');
    expect(bodies()).toHaveLength(2);
  });
});
