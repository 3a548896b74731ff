import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readSettings } from '#platform';
import { curtailSettings } from '#runtime';
import { FakeYtsaurus, type Trouble, YtFault } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { ytsaurusChecks } from '../../../agent/src/doctor/ytsaurus-doctor.js';
import { ytsaurusAgent } from './ytsaurus-agent.js';

const page = (status: number, text: string): Trouble => ({
  instead: (response) => {
    response.writeHead(status, { 'content-type': 'text/html', location: 'http://login.example/' }).end(text);
  },
});

describe('what is no usable YTsaurus', () => {
  let fake: FakeYtsaurus;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.anonymous = 'guest';
    fake.world.addTree('physical');
    fake.world.addPool('physical', 'prod');
    fake.world.addNode('n1:9012', { cpu: 1, memory: 1, user_slots: 1 }, 'physical');
  });
  afterEach(() => fake.down());

  const settings = (url: string, tree?: string) =>
    readSettings(curtailSettings, {
      CURTAIL_CLUSTER: 'ytsaurus',
      CURTAIL_YTSAURUS_URL: url,
      ...(tree !== undefined && { CURTAIL_YTSAURUS_TREE: tree }),
    });
  /** Problems of doctor, and why a start is refused; undefined: it is not. */
  const said = async (url = fake.url, tree?: string) => {
    const given = settings(url, tree);
    const problems = (await ytsaurusChecks(given)).filter(({ status }) => status === 'problem');
    const start = await ytsaurusAgent.check(given).then(
      () => undefined,
      (error: Error) => error.message,
    );
    return {
      doctor: problems.map(({ message, remedy = [] }) => [message, ...remedy].join(' ')).join('\n'),
      start,
    };
  };

  it.each([
    [
      'a page of HTML of a proxy',
      page(200, '<title>It works</title>'),
      /page of HTML: "It works".*--ytsaurus-url/,
    ],
    ['a login page', page(302, ''), /redirects to http:\/\/login\.example\/.*--ytsaurus-url/],
    ['401', { fault: new YtFault(900, 'Invalid credentials', [], 401) }, /not known.*--ytsaurus-token-file/],
    ['403', { fault: new YtFault(901, 'Access denied', [], 403) }, /refused: "Access denied".*that right/],
  ])(
    'is named by doctor and start with the address, what came, and the remedy: %s',
    async (_name, trouble, message) => {
      fake.trouble = () => trouble;
      const { doctor, start } = await said();
      for (const text of [doctor, start]) {
        expect(text).toContain(fake.url);
        expect(text).toMatch(message);
      }
      expect(fake.callsOf('abort_job')).toEqual([]);
    },
  );

  it('is another server at a wrong address, or a tree that the cluster does not have', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Not Found</title>');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    try {
      const { doctor, start } = await said(url);
      for (const text of [doctor, start]) {
        expect(text).toContain(url);
        expect(text).toContain('--ytsaurus-url');
      }
    } finally {
      other.close();
    }
    const { doctor, start } = await said(fake.url, 'gpu');
    for (const text of [doctor, start])
      expect(text).toMatch(/no pool tree gpu: it has physical\. Name one with --ytsaurus-tree/);
  });

  it('is named by doctor where it may pass: a start waits for it', async () => {
    fake.world.connected = false;
    expect(await said()).toEqual({
      doctor: expect.stringMatching(/not connected to its masters .*connected is false.*Wait/),
      start: undefined,
    });
    fake.world.connected = true;
    fake.world.pool('physical', '').children.clear();
    fake.world.nodes.clear();
    const { doctor, start } = await said();
    expect(doctor).toContain('physical has no pools');
    expect(doctor).toContain('none is online in physical');
    expect(start).toBeUndefined();
    await fake.down();
    expect(await said()).toEqual({ doctor: expect.stringContaining(fake.url), start: undefined });
  });
});
