import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { freePorts } from '../../scripts/infra/server/ports.js';
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
  ({ port } = await freePorts(['port']));
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
afterEach(async () => {
  const pages = browser?.contexts().flatMap((each) => each.pages()) ?? [];
  await Promise.all(pages.map((page) => page.close()));
});

/** Waits of pages end what hangs, and assert nothing. */
async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  const made = await browser.newContext(options);
  made.setDefaultTimeout(120_000);
  return made;
}

/** A row of the tree of queues; its name has what is known of the queue too. */
const queueRow = (page: Page, path: string) => page.locator(`[role=treeitem][data-path="${path}"]`);

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
    .replace('quota.preemption.delay: 60', 'quota.preemption.delay: 1');
/** A quota of `root.research` for which nearly all of it has to go. */
const almostNothing = lowered('8G', 2).replace(/memory: 80G(\s+)vcore: 20/, 'memory: 4G$1vcore: 1');

describe('the page', () => {
  flow(
    named('leads from a lowered quota to the reason of an eviction, without being loaded again'),
    async () => {
      const page = await open('/');
      const waiting = page.getByRole('region', { name: 'Waiting for a person' });
      await page.getByText('Nothing waits for approval.').waitFor();
      await request('PUT', '/v1/partitions/default/config?by=lin', lowered('120G', 30));
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
      expect(await timeline.textContent()).toMatch(
        /User ada approved run e-.*10 requested, 10 evicted.*root\.research: all 10 victims were evicted/,
      );

      await page.getByRole('link', { name: 'sweep-task-1', exact: true }).click();
      await page.getByText('It was evicted from root.research.').waitFor();
      expect(await page.getByRole('main').textContent()).toContain('younger goes first (rule 4)');
      expect(page.faults).toEqual([]);
      const { items } = await request<{ items: { data: unknown }[] }>('GET', '/v1/events?type=PlanApproved');
      expect(items).toMatchObject([{ data: { by: 'ada' } }]);

      // Clocks that ended because nothing was above its quota do not crowd out what evicted.
      await page.getByRole('link', { name: 'Overview' }).click();
      const ended = page.getByRole('region', { name: 'Recently ended' });
      await ended.getByText('satisfied, 10 of 10 evicted').waitFor();
      expect(await ended.getByRole('link').allTextContents()).toEqual(['root.research']);
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
    await dialog.getByRole('region', { name: 'Caused by' }).getByRole('link').click();
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

  flow(named('plots a lowered quota, the usage before and after it, and says who lowered it'), async () => {
    const page = await open('/queues/root.research');
    const plot = page.getByRole('img', { name: /^memory over time/ });
    await plot.waitFor();
    expect(await plot.getAttribute('aria-label')).toBe(
      'memory over time: quota no quota, then 200 GB memory, then 120 GB memory; 120 GB memory used now',
    );
    // In one step: a shape that was found and then drawn again has no place.
    const places = (selector: string) =>
      plot.evaluate(
        (drawn, shapes) =>
          [...drawn.querySelectorAll(shapes)].map((shape) => shape.getBoundingClientRect().top),
        selector,
      );
    const [before, after, ...others] = await places('path.quota');
    expect(others).toEqual([]);
    expect(after).toBeGreaterThan(before!);
    const usage = await places('circle.usage');
    expect(usage[0]).toBeLessThan(after!);
    expect(usage.at(-1)).toBeGreaterThan(usage[0]!);
    const marked = (event: string) => plot.locator(`[data-event="${event}"]`).count();
    expect(await marked('EnforcementScheduled')).toBe(1);
    expect(await marked('EnforcementStarted')).toBe(1);
    expect(await marked('EnforcementEnded')).toBe(1);
    const change = page.getByRole('row', { name: /200 GB memory becomes 120 GB memory/ });
    expect(await change.textContent()).toContain('lin');

    await page.getByRole('tab', { name: 'Allocations' }).click();
    await page.getByRole('link', { name: 'notebooks-kernel-1', exact: true }).waitFor();
    expect(page.url()).toContain('show=allocations');
    await page.getByRole('tab', { name: 'Applications' }).click();
    const applications = page.getByRole('table', { name: 'Applications' });
    const { items } = await request<{ items: { id: string; allocations: number }[] }>(
      'GET',
      '/v1/applications?queue=root.research',
    );
    for (const { id, allocations } of items)
      await applications.getByRole('row', { name: new RegExp(`^${id} .* ${allocations} `) }).waitFor();
    expect(page.faults).toEqual([]);
  });

  flow(named('moves through the tree of queues by keyboard alone'), async () => {
    const page = await open('/');
    await queueRow(page, 'root.analytics').waitFor();
    await page.getByLabel('Find a queue').focus();
    await page.keyboard.press('Tab');
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowDown'])
      await page.keyboard.press(key);
    await queueRow(page, 'root.analytics.batch').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'root.analytics.adhoc', level: 1 }).waitFor();
  });

  flow(named('answers for all that a user lost, in numbers'), async () => {
    const page = await open('/why');
    await page.getByText('User', { exact: true }).click();
    const { victims } = await request<{ victims: { owner: string | null }[] }>(
      'GET',
      `/v1/enforcements/${await latestRun()}/explanation?limit=50`,
    );
    const owner = victims.find((victim) => victim.owner !== null)!.owner!;
    await page.getByRole('textbox', { name: 'User' }).fill(owner);
    await page.getByRole('textbox', { name: 'User' }).press('Enter');
    const found = page.getByRole('table', { name: 'Chosen by runs' });
    await found.getByRole('link').first().click();
    await page.getByText(/a run of root\.research chose 10 allocations to free .* This one held /).waitFor();
    await page.getByRole('button', { name: 'Make a link for the owner' }).click();
    expect(await page.getByLabel('Link for the owner').inputValue()).toContain('/ui/why?');
    // This Curtail has no token: the link carries no right that could be revoked.
    expect(await page.getByRole('button', { name: 'Revoke its links' }).count()).toBe(0);
    expect(page.faults).toEqual([]);
  });

  flow(named('stops all evictions with a reason, which every open page shows as it is written'), async () => {
    const [here, there] = [await open('/'), await open('/log', await newContext())];
    const reason = '<img src=x onerror="document.title=1"> \u202Eexif si enoyreve';
    // A server on the same machine answers without a network.
    await here.evaluate("dispatchEvent(new Event('offline'))");
    await here.getByRole('button', { name: 'Stop', exact: true }).click();
    await here.getByRole('dialog').getByLabel('Reason').fill(reason);
    await here.getByRole('button', { name: 'Stop all evictions' }).click();
    await there.getByRole('button', { name: 'Stopped: resume' }).click();
    await there.getByRole('dialog').getByText(reason).waitFor();
    // In a sentence, the reason does not turn what follows it.
    const told = here.getByRole('alert').filter({ hasText: 'stopped evictions in partition default' });
    await told.waitFor();
    expect(await told.textContent()).toContain('exif si enoyreve), and');
    const covered = await open('/queues/root.services');
    await covered
      .getByRole('row', { name: /user operator stopped all evictions/ })
      .getByText('<img src=x onerror="document.title=1"> exif si enoyreve')
      .waitFor();
    for (const page of [there, covered]) expect(await page.locator('img').count()).toBe(0);
    await covered.close();
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

  flow(named('stops between two evictions'), async () => {
    const settings = '/v1/partitions/default/settings';
    await request('PATCH', settings, { settings: { victimsPerSecond: 1 }, by: 'ada' });
    await request('PUT', '/v1/partitions/default/config', almostNothing);
    const page = await open('/');
    const waiting = page.getByRole('region', { name: 'Waiting for a person' });
    await waiting.getByRole('link', { name: 'root.research' }).click();
    const asks = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve' }).click();
    await asks.getByRole('button', { name: 'Approve' }).click();
    // Some thirty victims, one a second.
    await page.getByText(/^[1-9] of \d+ evicted/).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await asks.getByLabel('Reason').fill('wrong quota');
    await asks.getByRole('button', { name: 'Stop all evictions' }).click();
    await page.getByRole('button', { name: 'Stopped' }).waitFor();
    await page.getByRole('main').getByText('stopped', { exact: true }).first().waitFor();
    const events = async (type: string) => {
      const { items } = await request<{ items: { position: string; data: { allocation: string } }[] }>(
        'GET',
        `/v1/events?type=${type}`,
      );
      return items.map(({ position, data }) => ({ position: Number(position), allocation: data.allocation }));
    };
    // An order may be recorded at the moment of the stop. Its request is refused then.
    const [stop] = await events('KillSwitchSet');
    const late = (await events('VictimOrdered')).filter(({ position }) => position > stop!.position);
    const evicted = (await events('VictimEvicted')).map(({ allocation }) => allocation);
    expect(late.filter(({ allocation }) => evicted.includes(allocation))).toEqual([]);
    expect(
      await page
        .getByText(/^\d+ of \d+ evicted/)
        .first()
        .textContent(),
    ).toMatch(/^(\d|1\d) of [23]\d /);
    expect(page.faults).toEqual([]);
    await request('PUT', '/v1/partitions/default/config', readFileSync('examples/queues.yaml', 'utf8'));
    await request('DELETE', '/v1/kill-switch?partition=default');
    await request('PATCH', settings, { settings: { victimsPerSecond: null }, by: 'ada' });
  });

  flow(named('tries quotas, compares two, and puts one in force that states its effect first'), async () => {
    const inForce = () => request<{ version: number; body: string }>('GET', '/v1/partitions/default/config');
    const before = await inForce();
    const page = await open('/what-if');
    await page.getByRole('combobox', { name: 'Queue', exact: true }).fill('root.analytics.batch');
    await page.getByRole('button', { name: 'Change its quota' }).click();
    const memory = page.getByRole('group', { name: 'root.analytics.batch' }).getByLabel('memory');
    await memory.fill('nonsense');
    await page.getByText('It would be refused', { exact: true }).waitFor();
    await memory.fill('60G');
    const outcome = page.getByRole('region', { name: /root.analytics.batch memory=60G$/ });
    await outcome.getByText('2 victims').waitFor();
    await outcome.getByRole('table', { name: 'Victims by owner' }).waitFor();
    await page.getByRole('button', { name: 'Keep to compare' }).click();
    await memory.fill('70G');
    await page
      .getByRole('region', { name: 'root.analytics.batch memory=70G' })
      .getByText('1 victim')
      .waitFor();
    await page
      .getByRole('region', { name: 'A: root.analytics.batch memory=60G' })
      .getByText('2 victims')
      .waitFor();
    expect(page.url()).toContain('70G');
    const difference = page.getByRole('table', { name: 'Changed quotas' });
    await difference.getByText('70 GB memory').waitFor();
    expect((await inForce()).version).toBe(before.version);

    await page.getByRole('button', { name: 'Put in force' }).click();
    const asks = page.getByRole('dialog');
    await asks.getByText('1 quota changes.').waitFor();
    await asks.getByText(/^1 allocation with/).waitFor();
    await asks.getByLabel('Your name').fill('lin');
    // Another configuration comes into force meanwhile: the effect that was stated is not that of this change any more.
    await request('PUT', '/v1/partitions/default/config', `# meanwhile\n${before.body}`);
    await asks.getByRole('button', { name: 'Put in force' }).click();
    await asks.getByRole('alert').waitFor();
    expect((await inForce()).body).toMatch(/^# meanwhile/);
    await asks.getByRole('button', { name: 'Leave it' }).click();
    await page.getByText(`Compared with version ${(await inForce()).version} `).waitFor();
    await page.getByRole('button', { name: 'Put in force' }).click();
    await asks.getByLabel('Your name').fill('lin');
    await asks.getByRole('button', { name: 'Put in force' }).click();
    await page.getByText(/^It is in force, as version/).waitFor();
    expect((await inForce()).body).toBe(`# meanwhile\n${before.body}`.replace('memory: 100G', 'memory: 70G'));
    const history = await request<{ marks: object[] }>('GET', '/v1/queues/root.analytics.batch/history');
    expect(history.marks).toContainEqual(expect.objectContaining({ event: 'QuotaChanged', by: 'lin' }));
    expect(page.faults).toEqual([]);
  });

  flow(named('shows the freezes that are in effect'), async () => {
    const page = await open('/');
    await request('POST', '/v1/freezes', {
      ...{ queue: 'root.analytics', duration: 'PT1H', by: 'ada', reason: 'release' },
    });
    await page.getByText(/^Frozen: root\.analytics, until .+, by ada \(release\)\.$/).waitFor();
    await request('DELETE', '/v1/freezes');
    await page.getByText(/^Frozen: /).waitFor({ state: 'detached' });
  });

  flow(named('marks the faults of an edited configuration in place'), async () => {
    const page = await open('/what-if?how=configuration');
    const editor = page.getByRole('textbox', { name: 'Configuration' });
    await editor.click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('partitons: []\n<img src=x> \u202E: 1\n');
    await page.locator('.cm-lintRange-error').first().waitFor();
    await page.getByText(/^line 1, column/).waitFor();
    expect(await page.getByRole('button', { name: 'Put in force' }).count()).toBe(0);
    expect(await page.locator('img[src]').count()).toBe(0);
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Backspace');
    await page.keyboard.insertText(lowered('110G', 28));
    await page.locator('.cm-lintRange-error').first().waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'Changed quotas' }).getByText('110 GB memory').waitFor();
    // The keyboard leaves the editor.
    await editor.focus();
    await pressUntilFocused(page, 'Keep to compare');
    expect(page.faults).toEqual([]);
  });

  flow(named('says that it is not connected, and catches up after a restart'), async () => {
    // Whatever had the focus for a moment in another flow is in the cache of its context.
    const page = await open('/log', await newContext());
    await request('PUT', '/v1/partitions/default/mode', { mode: 'enforce', by: 'grace' });
    await curtail.interrupt();
    await page.getByRole('status').getByText('not connected').waitFor();
    // What is loaded stays, also where the next view cannot be loaded.
    await page.getByRole('link', { name: 'Replays' }).click();
    await page.getByRole('heading', { name: 'This view could not be loaded' }).waitFor();
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByText('There is still no answer.').waitFor();
    ({ curtail, url } = await folder.start({ environment: { ...environment(), CURTAIL_MODE: 'observe' } }));
    await page.getByRole('status').getByText('live', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load again' }).click();
    await page.getByRole('heading', { name: 'Replays' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByText('limits the executor and the planner: the mode enforce that is set does not count.')
      .waitFor();
    await request('PUT', '/v1/partitions/default/mode', { mode: 'observe', by: 'grace' });
    await page.getByText('the mode observe that is set does not count').waitFor();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByRole('link', { name: 'ModeChanged' }).first().click();
    await page.getByRole('dialog').getByText('"by": "grace"').waitFor();
    await page.close();
    // The flows after this one evict.
    await curtail.interrupt();
    ({ curtail, url } = await folder.start({ environment: environment() }));
  });

  flow(named('says in place of a view what is not there, and what is usual without alarm'), async () => {
    const page = await open('/queues/root.nosuch');
    await page.getByRole('heading', { name: 'root.nosuch', level: 1 }).waitFor();
    await page.getByRole('alert').getByText('There is no queue root.nosuch').waitFor();
    // The page also reads again whenever the log has news: only what it reads after the click may succeed.
    await page.route('**/v1/replays?*', async (route) => {
      if (await page.evaluate('globalThis.isTried === true')) await route.continue();
      else await route.fulfill({ status: 500, json: { title: 'Failed' } });
    });
    await page.getByRole('link', { name: 'Replays' }).click();
    await page.getByRole('alert').getByText('Failed').waitFor();
    await page.evaluate("addEventListener('click', () => { globalThis.isTried = true; }, true)");
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing has been replayed yet.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('link', { name: 'Agents' }).click();
    await page.getByText('No cluster reports to this Curtail').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(page.faults).toEqual([]);
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
    await queueRow(page, 'root.team0').waitFor();
    await page.getByLabel('Find a queue').fill('team57.q9');
    await queueRow(page, 'root.team57.q99').waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(13);
    await page.getByLabel('Find a queue').fill('team');
    await queueRow(page, 'root.team0.q0').waitFor();
    expect(await page.getByRole('treeitem').count()).toBeLessThan(100);
    expect(page.url()).toContain('find=team');
    expect(page.faults).toEqual([]);
  });

  const play = (example: string) =>
    run('node', [
      'dist/apps/curtail/src/main.js',
      ...['simulate', 'play', `examples/${example}.yaml`, '--server', url],
    ]);

  flow(named('shows the rounds of fair share, and what its pools have'), async () => {
    await play('starvation');
    const page = await open('/rounds?partition=starvation-scenario');
    await page.getByRole('region', { name: 'Rounds of fair-share' }).waitFor();
    const pools = page.getByRole('table', { name: 'Pools' });
    await pools.getByRole('row', { name: /root\.web/ }).waitFor();
    expect(await pools.textContent()).toContain('50.0 %');
    expect(page.faults).toEqual([]);
  });

  flow(named('shows what users of a queue are limited to, and asks before it evicts for that'), async () => {
    const playing = play('user-limit-inversion');
    const page = await open('/?partition=user-limit-scenario');
    const waiting = page.getByRole('region', { name: 'Waiting for a person' });
    await waiting.getByRole('link', { name: /^root/ }).click();
    const users = page.getByRole('table', { name: 'Users of root.shared' });
    const ada = users.getByRole('row', { name: /^ada / });
    await ada.waitFor();
    expect(await ada.textContent()).toBe('ada100 GiB memory51 GiB memory');
    await page
      .getByRole('table', { name: 'Applications of root.shared' })
      .getByRole('row', { name: /^analysis / })
      .waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await playing;
    expect(page.faults).toEqual([]);
  });

  const views = [
    ...[
      '/',
      '/runs',
      '/log',
      '/log?event=1',
      '/why?of=sweep-task-1',
      '/why?user=ann',
      '/queues/root.research',
    ],
    ...['/rounds?partition=starvation-scenario', '/replays', '/agents', '/dead-letters', '/settings'],
    ...['/queues/root.research?show=applications', '/what-if?how=configuration'],
    '/what-if?quotas=root.analytics.batch:memory%3D60G',
  ];

  flow(
    named('has no serious fault of accessibility in light and dark, and fits any width, on each view'),
    async () => {
      for (const view of [...views, `/runs/${await latestRun()}`]) {
        const page = await open(view);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (view.startsWith('/runs/')) await page.getByRole('heading', { name: /victims?$/ }).waitFor();
        for (const width of [1920, 768, 390, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect({ view, width, beyond: Math.max(0, beyond as number) }).toEqual({ view, width, beyond: 0 });
        }
        await expectAccessible(view, page);
        await page.close();
      }
    },
  );

  flow(named('read-only, offers no command'), async () => {
    const run = await latestRun();
    const page = await startWithToken(`/runs/${run}`, { CURTAIL_READ_ONLY: 'yes' });
    await page.getByText('read-only').waitFor();
    await page.getByRole('heading', { name: /victims?$/ }).waitFor();
    expect(await page.getByRole('button', { name: /Stop|Approve|Reject|Cancel/ }).count()).toBe(0);
  });

  flow(named('shows the bearer of a link one answer, until it is revoked'), async () => {
    const page = await startWithToken('/why?partition=default&of=sweep-task-1');
    await page.getByRole('button', { name: 'Make a link for the owner' }).click();
    const link = page.getByLabel('Link for the owner');
    const address = await link.inputValue();

    const owner = await (await newContext()).newPage();
    await owner.goto(address);
    await owner.getByText('It was evicted from root.research.').waitFor();
    expect(await owner.getByRole('link').count()).toBe(0);
    await expectAccessible('the answer for an owner', owner);

    const asks = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Revoke its links' }).click();
    await asks.getByRole('button', { name: 'Leave it' }).click();
    await asks.waitFor({ state: 'detached' });
    expect(await link.inputValue()).toBe(address);
    await page.getByRole('button', { name: 'Revoke its links' }).click();
    await asks.getByRole('button', { name: 'Revoke' }).click();
    await link.waitFor({ state: 'detached' });
    await owner.reload();
    await owner.getByText('An operator revoked the links to this explanation.').waitFor();
    await owner.goto(`${address}x`);
    await owner.reload();
    await owner.getByRole('alert').waitFor();
    expect(curtail.output).not.toContain('link.');
    expect(curtail.output).not.toContain(token);
  });
});

const token = 'correct-horse-battery';

/** Starts Curtail again with a token, and opens a page of it with that token. */
async function startWithToken(path: string, more: Record<string, string> = {}): Promise<Page> {
  await curtail.interrupt();
  ({ curtail, url } = await folder.start({
    environment: { ...environment(), CURTAIL_TOKEN: token, ...more },
  }));
  const page = await (await newContext()).newPage();
  await page.goto(`${url}/ui${path}`);
  await page.getByLabel(/^Token \*$/).fill(token);
  await page.getByRole('button', { name: 'Show' }).click();
  return page;
}

/** The rules of axe about colours. All else is the same in both themes. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** axe finds nothing serious on a page, in either theme. */
async function expectAccessible(view: string, page: Page): Promise<void> {
  await page.evaluate(axe);
  for (const [colorScheme, rules] of [
    ['light', undefined],
    ['dark', ofColours],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    const violations = await page.evaluate(async (runOnly) => {
      const { run: check } = (
        globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
      ).axe;
      interface Violation {
        id: string;
        impact: string;
        nodes: { html: string; failureSummary: string }[];
      }
      const { violations: all } = await check({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
      return all
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => ({ id, first: nodes[0]?.html, why: nodes[0]?.failureSummary }));
    }, rules);
    expect({ view, colorScheme, violations }).toEqual({ view, colorScheme, violations: [] });
  }
}

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
