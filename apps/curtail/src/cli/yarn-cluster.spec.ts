import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlayedManager } from '../../../../test/support/played-manager.js';
import { curtail } from '../../testing/test-terminal.js';

const victimsOf = (stdout: string): string[] =>
  JSON.parse(stdout).victims.map(({ allocation }: { allocation: string }) => allocation.slice(-3));

describe('curtail plan for YARN', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-yarn-'));
    await cp('test/clusters/yarn-answers', folder, { recursive: true });
    // Recorded with the DominantResourceCalculator, by which no queue is above its vcores: with the usual one memory alone counts.
    const conf = join(folder, 'scheduler-conf.json');
    const text = await readFile(conf, 'utf8');
    await writeFile(conf, text.replace('DominantResourceCalculator', 'DefaultResourceCalculator'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const file = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };
  const properties = (values: Record<string, string>) =>
    `<configuration>${Object.entries(values)
      .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
      .join('')}</configuration>`;
  const q = 'yarn.scheduler.capacity.root';
  const lowered = () =>
    file(
      'capacity-scheduler.xml',
      properties({
        [`${q}.queues`]: 'prod,dev',
        [`${q}.prod.capacity`]: '60',
        [`${q}.dev.capacity`]: '40',
        [`${q}.dev.maximum-capacity`]: '50',
      }),
    );

  it('plans by saved answers what a quota would evict: the youngest containers, and no master', async () => {
    // 9 GiB and 256 MiB run; 8 GiB may.
    const { status, stdout } = await curtail(
      ['plan', '--yarn-answers', folder, '--max', 'root.dev', 'memory=8G', '-o', 'json'],
      {},
    );
    expect(status).toBe(1);
    const victims = victimsOf(stdout);
    expect(victims).toHaveLength(2);
    expect(victims).not.toContain('001');
  });

  it('tries a capacity-scheduler.xml, with the amounts that YARN would round to', async () => {
    const { status, stdout } = await curtail([
      ...['plan', '--yarn-answers', folder, '-f', await lowered(), '--delay', '10m', '-o', 'json'],
    ]);
    expect(status).toBe(1);
    // 50 % of 16 GiB are 8 GiB.
    expect(victimsOf(stdout)).toHaveLength(2);
    const compared = await curtail([
      ...['what-if', '--yarn-answers', folder, '-f', await lowered(), '--delay', '10m', '-o', 'json'],
    ]);
    expect(JSON.parse(compared.stdout).alternatives[0]).toMatchObject({ victims: 2 });
  });

  it('takes delays from the settings', async () => {
    const settings = await file(
      'settings.xml',
      properties({
        [`${q}.quota-preemption-delay`]: '5m',
        'yarn.resourcemanager.monitor.capacity.preemption.intra-queue-preemption.enabled': 'false',
      }),
    );
    const { stdout } = await curtail([
      ...['plan', '--yarn-answers', folder, '--yarn-settings', settings, '-f', await lowered(), '-o', 'json'],
    ]);
    const [run] = JSON.parse(stdout).runs;
    expect(Date.parse(run.dueAt) - Date.parse(JSON.parse(stdout).at)).toBe(300_000);
    expect(victimsOf(stdout)).toHaveLength(2);
  });

  it('prints the snapshot, which --input plans with', async () => {
    const printed = await curtail(['plan', '--yarn-answers', folder, '--snapshot', '--queue', 'root.dev']);
    expect(printed.status).toBe(0);
    const input = JSON.parse(printed.stdout);
    expect(input.snapshot.allocations).toHaveLength(11);
    input.snapshot.queues[2].max = { memory: 8 * 1024 ** 3 };
    const { stdout } = await curtail(['plan', '--input', '-', '-o', 'json'], {
      stdin: JSON.stringify(input),
    });
    expect(victimsOf(stdout)).toHaveLength(2);
  });

  it('refuses answers that do not add up, unless that is allowed', async () => {
    await rm(join(folder, 'containers-alice.json'));
    const call = ['plan', '--yarn-answers', folder, '--queue', 'root.dev', '-o', 'json'];
    const { status, stderr } = await curtail(call);
    expect(status).toBe(2);
    expect(stderr).toContain(
      'root.dev has 9.25 GiB, 10 vcore allocated, and lists allocations with 0 B, 0 vcore',
    );
    const allowed = await curtail([...call, '--allow-difference']);
    expect(allowed.status).toBe(0);
    expect(allowed.stderr).toContain('the rest counts as work that stays');
  });

  it.each([
    ['an empty file', '', 'not JSON: it is empty'],
    [
      'a page of HTML',
      '<!DOCTYPE html><title>Sign in</title>',
      'it is a page of HTML, not an answer of the REST API',
    ],
    ['a list that was cut', '{"apps":{"app":["... 3 more"]}}', 'apps.app[0]'],
  ])('names the file that is %s', async (_name, text, message) => {
    const path = await file('apps.json', text);
    const { status, stderr } = await curtail(['plan', '--yarn-answers', folder]);
    expect(status).toBe(2);
    expect(stderr).toContain(path);
    expect(stderr).toContain(message);
  });

  it('refuses options that do not go together', async () => {
    const both = await curtail(['plan', '--yarn-answers', folder, '--yarn-url', 'http://rm:8088']);
    expect(both).toMatchObject({ status: 2, stderr: expect.stringContaining('--yarn-url') });
    const alone = await curtail(['plan', '--yarn-user', 'curtail', '--input', '-']);
    expect(alone).toMatchObject({ status: 2, stderr: expect.stringContaining('--yarn-user goes with') });
  });

  describe('of a manager that runs', () => {
    let manager: PlayedManager;
    beforeEach(async () => {
      manager = await PlayedManager.start();
    });
    afterEach(() => manager.stop());
    const call = (...more: string[]) =>
      curtail(['plan', '--yarn-url', manager.url, '--yarn-user', 'curtail', ...more]);

    it('plans by three looks, and changes nothing', async () => {
      const { status, stdout } = await call(
        '--max',
        'root.prod',
        'memory=3Gi',
        '--delay',
        '1m',
        '-o',
        'json',
      );
      expect({ status, victims: victimsOf(stdout) }).toEqual({ status: 1, victims: ['002'] });
      expect(manager.asked.every((asked) => asked.startsWith('GET '))).toBe(true);
    });

    it.each([
      [
        'a proxy that answers with a page',
        200,
        'text/html',
        '<title>Sign in</title>',
        '"Sign in". Check that --yarn-url',
      ],
      [
        'a caller without rights',
        403,
        'application/json',
        '{"RemoteException":{"message":"not an admin"}}',
        'answers 403 to the user curtail: "not an admin". Name this user in yarn.admin.acl',
      ],
      ['a login page', 302, 'text/html', '', 'as login pages of proxies do'],
    ])('names the address, what came, and the remedy for %s', async (_name, status, type, text, message) => {
      manager.instead.set('/scheduler-conf/version', (_request, response) => {
        response.writeHead(status, { 'content-type': type, location: 'http://login.example/' }).end(text);
      });
      const refused = await call('--queue', 'root.prod');
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain(manager.url);
      expect(refused.stderr).toContain(message);
    });
  });
});
