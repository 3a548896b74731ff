import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { CurtailFolder, type CurtailProcess } from '../support/curtail-process.js';
import { findBrowser, startBrowser } from './browser.js';

const found = await findBrowser();
const flow = 'path' in found ? it : (it.skip as unknown as typeof it);
const named = (name: string) => ('path' in found ? name : `${name} (not run: ${found.missing})`);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const run = promisify(execFile);

let folder: CurtailFolder;
let curtail: CurtailProcess;
let url: string;
let browser: Browser;
let context: BrowserContext;
let port: number;

const environment = () => ({
  CURTAIL_PORT: String(port),
  CURTAIL_SAMPLE: 'yes',
  CURTAIL_APPROVE_ABOVE_VICTIMS: '5',
  CURTAIL_GRACE_SECONDS: '0',
});

beforeAll(async () => {
  if (!('path' in found)) return;
  port = await freePort();
  folder = await CurtailFolder.create();
  ({ curtail, url } = await folder.start({ environment: environment() }));
  browser = await startBrowser(found.path);
  context = await newContext();
});
afterAll(async () => {
  await browser?.close();
  await folder?.remove();
});

// A browser has six connections to a server, and each open page holds one.
afterEach(() => Promise.all(context?.pages().map((page) => page.close()) ?? []));

/** Waits of pages end what hangs, and assert nothing. */
async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  const made = await browser.newContext(options);
  made.setDefaultTimeout(120_000);
  return made;
}

/** A page at a view. Errors of its scripts and refusals of its policy fail the test that looks at them. */
async function open(path: string, of = context): Promise<Page & { faults: string[] }> {
  const page = (await of.newPage()) as Page & { faults: string[] };
  page.faults = [];
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) page.faults.push(message.text());
  });
  await page.goto(`${url}/ui${path}`);
  await page.getByRole('status').getByText('live', { exact: true }).waitFor();
  return page;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: free } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return free;
}

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(url + path, {
    method,
    ...(body === undefined
      ? {}
      : typeof body === 'string'
        ? { body, headers: { 'content-type': 'application/yaml' } }
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The quotas of the sample, with other limits of `root.research`, due after a second. */
const lowered = (memory: string, vcore: number) =>
  readFileSync('examples/queues-lowered.yaml', 'utf8')
    .replace(/memory: 120G(\s+)vcore: 30/, `memory: ${memory}$1vcore: ${vcore}`)
    .replace('quota.preemption.delay: 20', 'quota.preemption.delay: 1');

describe('the page', () => {
  flow(
    named('leads from a lowered quota to the reason of an eviction, without being loaded again'),
    async () => {
      const page = await open('/');
      const waiting = page.getByRole('region', { name: 'Waiting for a person' });
      await page.getByText('Nothing waits for approval.').waitFor();
      await request('PUT', '/v1/partitions/default/config', lowered('120G', 30));
      await waiting.getByRole('link', { name: 'root.research' }).click();
      await page.getByRole('heading', { name: '10 victims' }).waitFor();

      await page.getByRole('button', { name: 'Approve' }).click();
      const asks = page.getByRole('dialog');
      await asks.getByText('10 allocations will be evicted, which frees 40 GB memory, 10 vcore.').waitFor();
      await asks.getByLabel('Your name').fill('ada');
      await asks.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('10 of 10 evicted').waitFor();
      const timeline = page.getByRole('region', { name: 'Timeline' });
      await timeline.getByText('The queue is free again').waitFor();
      expect(await timeline.textContent()).toMatch(/User ada approved run e-.*10 requested, 10 evicted/);

      await page.getByRole('link', { name: 'sweep-task-1', exact: true }).click();
      await page.getByText('It was evicted from root.research.').waitFor();
      expect(await page.getByRole('main').textContent()).toContain('younger goes first (rule 4)');
      expect(page.faults).toEqual([]);
      const { items } = await request<{ items: { data: unknown }[] }>('GET', '/v1/events?type=PlanApproved');
      expect(items).toMatchObject([{ data: { by: 'ada' } }]);
    },
  );

  flow(named('filters the log by its address, and leads from an event to its cause and back'), async () => {
    const run = await latestRun();
    const page = await open(`/log?run=${run}&type=VictimEvicted`);
    const events = page.getByRole('table', { name: 'Events' }).getByRole('row');
    await events.nth(10).waitFor();
    expect(await events.count()).toBe(11);
    await page.getByRole('link', { name: 'VictimEvicted' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('"allocation"').waitFor();
    const linked = page.url();
    await dialog.getByRole('region', { name: 'Because of' }).getByRole('link').click();
    await page.getByRole('dialog', { name: 'VictimOrdered' }).waitFor();
    await dialog.getByRole('region', { name: 'It led to' }).getByRole('link').click();
    await page.getByRole('dialog', { name: 'VictimEvicted' }).waitFor();
    expect(page.url()).toBe(linked);

    const other = await open('/log');
    await other.getByLabel('Commanded or sent by').fill('ada');
    await other.getByLabel('Commanded or sent by').press('Enter');
    await other.getByRole('row').nth(2).waitFor({ state: 'detached' });
    expect(await other.getByRole('row').nth(1).textContent()).toContain('PlanApproved');
    expect(other.url()).toContain('actor=ada');
    expect([page.faults, other.faults]).toEqual([[], []]);
  });

  flow(named('stops all evictions with a reason, which every open page shows as it is written'), async () => {
    const [here, there] = [await open('/'), await open('/log', await newContext())];
    const reason = '<img src=x onerror="document.title=1"> \u202Eexif si enoyreve';
    await here.getByRole('button', { name: 'Stop', exact: true }).click();
    await here.getByRole('dialog').getByLabel('Reason').fill(reason);
    await here.getByRole('button', { name: 'Stop all evictions' }).click();
    await there.getByRole('button', { name: 'Stopped' }).click();
    await there.getByRole('dialog').getByText(reason).waitFor();
    expect(await there.locator('img').count()).toBe(0);
    const { items } = await request<{ items: unknown[] }>('GET', '/v1/kill-switch');
    expect(items).toMatchObject([{ partition: 'default', queue: null, reason }]);

    await there.getByRole('button', { name: 'Resume evictions' }).click();
    await here.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    expect((await request<{ items: unknown[] }>('GET', '/v1/kill-switch')).items).toEqual([]);
    expect([here.faults, there.faults]).toEqual([[], []]);
  });

  flow(named('rejects a run by keyboard alone'), async () => {
    await request('PUT', '/v1/partitions/default/config', lowered('88G', 22));
    const page = await open('/');
    const link = page
      .getByRole('region', { name: 'Waiting for a person' })
      .getByRole('link', { name: 'root.research' });
    await link.waitFor();
    await pressUntilFocused(page, 'root.research', 'region');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reject' }).waitFor();
    await pressUntilFocused(page, 'Reject');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('Nothing more is evicted').waitFor();
    await page.keyboard.type('not today');
    await page.keyboard.press('Enter');
    await page.getByRole('main').getByText('rejected', { exact: true }).waitFor();
    const { items } = await request<{ items: { data: unknown }[] }>('GET', '/v1/events?type=PlanRejected');
    expect(items).toMatchObject([{ data: { reason: 'not today' } }]);
  });

  flow(named('says that it is not connected, and catches up after a restart'), async () => {
    const page = await open('/log');
    await curtail.interrupt();
    await page.getByRole('status').getByText('not connected').waitFor();
    ({ curtail, url } = await folder.start({ environment: environment() }));
    await request('PUT', '/v1/partitions/default/mode', { mode: 'observe', by: 'grace' });
    await page.getByRole('status').getByText('live', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'ModeChanged' }).click();
    await page.getByRole('dialog').getByText('"by": "grace"').waitFor();
  });

  flow(named('shows ten thousand queues, of which only those near the screen exist'), async () => {
    const queues = Array.from({ length: 100 }, (_, i) => ({
      name: `team${i}`,
      queues: Array.from({ length: 100 }, (_, j) => ({ name: `q${j}`, resources: { max: { vcore: '10' } } })),
    }));
    await request('PUT', '/v1/partitions/many/config', {
      partitions: [{ name: 'many', queues: [{ name: 'root', queues }] }],
    });
    const page = await open('/?partition=many');
    await page.getByRole('treeitem', { name: 'root.team0', exact: true }).waitFor();
    await page.getByLabel('Find a queue').fill('team57.q9');
    await page.getByRole('treeitem', { name: 'root.team57.q99', exact: true }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(13);
    await page.getByLabel('Find a queue').fill('team');
    await page.getByRole('treeitem', { name: 'root.team0.q0', exact: true }).waitFor();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    expect(page.url()).toContain('find=team');
    expect(page.faults).toEqual([]);
  });

  flow(named('shows the rounds of fair share, and what its pools have'), async () => {
    const words = ['simulate', 'play', 'examples/starvation.yaml', '--server', url];
    await run('node', ['dist/apps/curtail/src/main.js', ...words]);
    const page = await open('/rounds?partition=starvation-scenario');
    await page.getByRole('region', { name: 'Rounds of fair-share' }).waitFor();
    const pools = page.getByRole('table', { name: 'Pools' });
    await pools.getByRole('row', { name: /root\.web/ }).waitFor();
    expect(await pools.textContent()).toContain('50.0 %');
    expect(page.faults).toEqual([]);
  });

  const views = [
    ...['/', '/runs', '/log', '/log?event=1', '/why?of=sweep-task-1', '/queues/root.research'],
    ...['/rounds?partition=starvation-scenario', '/replays', '/agents', '/dead-letters', '/settings'],
  ];

  flow(named('has no serious fault of accessibility on any view, in light and dark'), async () => {
    const run = await latestRun();
    for (const colorScheme of ['light', 'dark'] as const) {
      const own = await newContext({ colorScheme });
      for (const view of [...views, `/runs/${run}`]) {
        const page = await open(view, own);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.evaluate(axe);
        const violations = await page.evaluate(async () => {
          const { run: check } = (
            globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
          ).axe;
          interface Violation {
            id: string;
            impact: string;
            nodes: { html: string; failureSummary: string }[];
          }
          const { violations: all } = await check();
          return all
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, nodes }) => ({ id, first: nodes[0]?.html, why: nodes[0]?.failureSummary }));
        });
        expect({ view, colorScheme, violations }).toEqual({ view, colorScheme, violations: [] });
        await page.close();
      }
      await own.close();
    }
  });

  flow(named('needs no sideways scrolling, from a telephone to a large screen'), async () => {
    const run = await latestRun();
    for (const width of [390, 768, 1920]) {
      const own = await newContext({ viewport: { width, height: 800 } });
      for (const view of [...views, `/runs/${run}`]) {
        const page = await open(view, own);
        await page.getByRole('heading', { level: 1 }).waitFor();
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect({ view, width, beyond: Math.max(0, beyond as number) }).toEqual({ view, width, beyond: 0 });
        await page.close();
      }
      await own.close();
    }
  });
});

async function latestRun(): Promise<string> {
  const { items } = await request<{ items: { enforcement: string; victims: number }[] }>(
    'GET',
    '/v1/enforcements',
  );
  return items.find(({ victims }) => victims > 0)!.enforcement;
}

/** Presses Tab until something with this name has the focus, as a person would. */
async function pressUntilFocused(page: Page, name: string, within?: 'region'): Promise<void> {
  for (let presses = 0; presses < 200; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(
      `({ text: document.activeElement?.textContent, region: document.activeElement?.closest('section')?.ariaLabel ?? null })`,
    );
    const { text, region } = focused as { text: string; region: string | null };
    if (text === name && (within === undefined || region === 'Waiting for a person')) return;
  }
  throw new Error(`Tab never reaches ${name}`);
}
