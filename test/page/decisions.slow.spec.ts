import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { flow, named, ServedPage } from './served-page.js';

/* What people decide on: who would lose what, when, and what is true now. */

const sample = readFileSync('examples/queues.yaml', 'utf8');
const lowered = readFileSync('examples/queues-lowered.yaml', 'utf8');
const withDelay = (configuration: string, seconds: number) =>
  configuration.replace('quota.preemption.delay: 60', `quota.preemption.delay: ${seconds}`);

let served: ServedPage;
/** Far from UTC: times of the server must not be shown as they are. */
let tokyo: BrowserContext;

beforeAll(async () => {
  const started = await ServedPage.start({
    ...{ CURTAIL_SAMPLE: 'yes', CURTAIL_APPROVE_ABOVE_VICTIMS: '5', CURTAIL_GRACE_SECONDS: '3' },
  });
  if (!started) return;
  served = started;
  tokyo = await served.context({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
});
afterAll(() => served?.end());
afterEach(() => served?.closePages());

interface List<T> {
  items: T[];
}
interface Clock {
  enforcement: string;
  queue: string;
  dueAt: string;
  frozenUntil: string | null;
  foresight: { victims: number } | null;
}

/** Times as the server writes them, and names of its events, which nobody should have to read. */
const raw = /\d{4}-\d\d-\d\dT\d\d:\d\d|Victim[A-Z][a-z]+/;
async function expectWords(page: Page): Promise<void> {
  const found = await page.evaluate(
    `document.body.innerText + ' ' + [...document.querySelectorAll('[title]:not(time)')].map((each) => each.title).join(' ')`,
  );
  expect(String(found)).not.toMatch(raw);
}

describe('a run that is due later', () => {
  const partition = 'later';
  let clock: Clock;

  flow(named('names its victims wherever people look, before it has begun'), async () => {
    await served.partitionWithSample(partition, withDelay(sample, 600));
    const own = withDelay(lowered, 600).replace('name: default', `name: ${partition}`);
    await served.request('PUT', `/v1/partitions/${partition}/config`, own);
    const [foreseen] = await served.until<
      List<{ allocations: string[]; user: string }>,
      { allocations: string[]; user: string }[]
    >(`/v1/foreseen?partition=${partition}`, ({ items }) => items.length > 0 && items);
    clock = await served.until<List<Clock>, Clock>(`/v1/timers?partition=${partition}`, ({ items }) =>
      items.find(({ queue, foresight }) => queue === 'root.research' && foresight !== null),
    );
    const [allocation] = foreseen!.allocations;
    const { victims } = clock.foresight!;

    const why = await served.open(`/why?partition=${partition}&of=${allocation}`, tokyo);
    await why.getByText(/^It will be evicted/).waitFor();
    expect(await why.getByRole('main').textContent()).not.toContain('No run has chosen');
    await expectWords(why);
    const mine = await served.open(`/why?partition=${partition}&user=${foreseen!.user}`, tokyo);
    await mine.getByRole('table', { name: 'Foreseen victims' }).getByText(allocation!).waitFor();

    const queue = await served.open(`/queues/root.research?partition=${partition}`, tokyo);
    await queue.getByRole('table', { name: 'Foreseen victims' }).getByText(foreseen!.user).first().waitFor();
    await expectWords(queue);

    const run = await served.open(`/runs/${clock.enforcement}?partition=${partition}`, tokyo);
    await run.getByRole('table', { name: 'Foreseen victims' }).getByText(allocation!).waitFor();
    await run.getByText(new RegExp(`^${victims} victims? foreseen$`)).waitFor();
    expect(await run.getByRole('main').textContent()).not.toMatch(/0 of 0|Started –/);
    await expectWords(run);

    const overview = await served.open(`/?partition=${partition}`, tokyo);
    const due = overview.getByRole('region', { name: 'Due next' });
    await due.getByText(new RegExp(`^${victims} allocations? of .*${foreseen!.user}`)).waitFor();
    await expectWords(overview);
  });

  flow(named('is shown with the time at which it starts, and what moves it'), async () => {
    await served.request('POST', '/v1/freezes', {
      ...{ partition, queue: 'root.research', duration: 'PT1H', by: 'ada', reason: 'release' },
    });
    const { frozenUntil, enforcement } = await served.until<List<Clock>, Clock>(
      `/v1/timers?partition=${partition}`,
      ({ items }) =>
        items.find(({ queue, frozenUntil: until }) => queue === 'root.research' && until !== null),
    );
    const end = `time[datetime="${frozenUntil}"]`;
    const overview = await served.open(`/?partition=${partition}`, tokyo);
    await overview.locator(`[role=treeitem][data-path="root.research"] ${end}`).first().waitFor();
    const due = overview.getByRole('region', { name: 'Due next' });
    await due.locator(end).first().waitFor();
    await due.getByText(/User ada froze root\.research/).waitFor();
    for (const path of ['/queues/root.research', `/runs/${enforcement}`]) {
      const page = await served.open(`${path}?partition=${partition}`, tokyo);
      await page.getByRole('main').locator(end).first().waitFor();
      await page
        .getByText(/User ada froze root\.research/)
        .first()
        .waitFor();
      expect(await page.getByRole('main').textContent()).not.toMatch(/due in \d min|due in 10 min/);
      await expectWords(page);
    }
    await served.request('POST', '/v1/kill-switch', { partition, by: 'ada', reason: 'wrong quota' });
    const stopped = await served.open(`/runs/${enforcement}?partition=${partition}`, tokyo);
    await stopped
      .getByText(/User ada stopped evictions/)
      .first()
      .waitFor();
    await stopped.getByText(/no due time/).waitFor();
  });

  flow(named('has no time in UTC in any sentence of any view'), async () => {
    const partition = 'worded';
    await served.partitionWithSample(partition, withDelay(sample, 600));
    const own = withDelay(lowered, 600).replace('name: default', `name: ${partition}`);
    await served.request('PUT', `/v1/partitions/${partition}/config`, own);
    await served.request('POST', '/v1/freezes', {
      partition,
      duration: 'PT1H',
      by: 'ada',
      reason: 'release',
    });
    const run = await served.until<List<{ enforcement: string; waiting: { code: string } | null }>, string>(
      `/v1/enforcements?partition=${partition}`,
      ({ items }) => items.find(({ waiting }) => waiting?.code === 'frozen')?.enforcement,
    );
    for (const view of [
      ...['/', '/runs', '/queues/root.research', '/why?user=grace', '/settings', '/dead-letters', '/agents'],
      ...['/replays', '/rounds', `/runs/${run}`, '/why?of=sweep-task-1'],
      '/what-if?quotas=root.analytics.batch:memory%3D60G',
    ]) {
      const page = await served.open(`${view}${view.includes('?') ? '&' : '?'}partition=${partition}`, tokyo);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByText(/^(Loading|Looking|Comparing)/)
        .first()
        .waitFor({ state: 'detached' });
      await expectWords(page);
      await page.close();
    }
  });
});

describe('a run that ends', () => {
  flow(named('leaves the usage on the page as the API has it'), async () => {
    const partition = 'ends';
    await served.partitionWithSample(partition, withDelay(sample, 1));
    const page = await served.open(`/?partition=${partition}`);
    const row = page.locator('[role=treeitem][data-path="root.services"]');
    await row.waitFor();
    await served.request(
      'PUT',
      `/v1/partitions/${partition}/config`,
      withDelay(sample, 1)
        .replace('name: default', `name: ${partition}`)
        .replace(/memory: 20G(\s+)vcore: 10/, 'memory: 4G$1vcore: 2')
        .replace(/memory: 40G(\s+)vcore: 16/, 'memory: 12G$1vcore: 16'),
    );
    interface Queue {
      usage: Record<string, number>;
      inFlight: Record<string, number>;
    }
    const left = await served.until<Queue, number>(
      `/v1/queues/root.services?partition=${partition}`,
      ({ usage, inFlight }) => usage.memory! <= 12e9 && Object.keys(inFlight).length === 0 && usage.memory,
    );
    await row.getByText(`${left / 1e9} GB of 12 GB memory`).waitFor();
    await row.getByRole('img', { name: /exceeded/ }).waitFor({ state: 'detached' });
    const queue = await served.open(`/queues/root.services?partition=${partition}`);
    await queue.getByText(`${left / 1e9} GB of 12 GB memory`).waitFor();
  });
});

describe('an approval', () => {
  flow(named('states all who pay, however many, and how long it takes'), async () => {
    const partition = 'large';
    await served.request('POST', `/v1/partitions/${partition}/simulated/load`, {
      ...{ queues: 3, allocations: 4000, applications: 90, users: 30, nodes: 40, under: 'root.load' },
      resources: [{ memory: 1_000_000_000, vcore: 1000 }],
    });
    const quota = (memory: string) => `
partitions:
  - name: ${partition}
    preemption:
      quotapreemptionenabled: true
    queues:
      - name: root
        queues:
          - name: load
            parent: true
            resources:
              quota.preemption.delay: 1
              max: {memory: ${memory}}
`;
    await served.request('PUT', `/v1/partitions/${partition}/config`, quota('4T'));
    await served.request('PUT', `/v1/partitions/${partition}/config`, quota('1T'));
    const run = await served.until<List<{ enforcement: string; victims: number }>, string>(
      `/v1/enforcements?partition=${partition}&state=waiting`,
      ({ items }) => items[0]?.enforcement,
    );
    const { summary, enforcement } = await served.request<{
      enforcement: { victims: number };
      summary: { owners: { count: number; first: { name: string; victims: number }[] } };
    }>('GET', `/v1/enforcements/${run}/explanation?limit=10`);
    expect(enforcement.victims).toBeGreaterThan(2000);
    const { count, first } = summary.owners;

    const page = await served.open(`/runs/${run}?partition=${partition}&by=owner`);
    const groups = page.getByRole('region', { name: 'Victims' });
    for (const { name, victims } of first)
      await groups
        .getByRole('button', { name: new RegExp(`^${name} ${victims.toLocaleString('en')}( |$)`) })
        .waitFor();
    expect(await groups.getByRole('button', { name: /^user-/ }).count()).toBe(count);
    // Above the plan, however long that is.
    const top = async (name: string) =>
      (await page.getByRole('region', { name, exact: true }).boundingBox())!.y;
    expect(await top('Victims')).toBeLessThan(await top('Plan'));

    // All of a group can be read, a page at a time.
    const [most] = first;
    await groups.getByRole('button', { name: new RegExp(`^${most!.name} `) }).click();
    const rows = groups.getByRole('table', { name: `Victims of ${most!.name}` }).getByRole('row');
    while ((await rows.count()) - 1 < most!.victims) {
      const before = await rows.count();
      await groups.getByRole('button', { name: 'Show more' }).click();
      await rows.nth(before).waitFor();
    }
    expect(await rows.count()).toBe(most!.victims + 1);

    await page.getByRole('button', { name: 'Approve' }).click();
    const asks = page.getByRole('dialog');
    await asks
      .getByText(new RegExp(`${count} owners: ${most!.name} \\(${most!.victims} allocations\\)`))
      .waitFor();
    // At ten per second.
    await asks.getByText(/takes at least [4-5] min/).waitFor();
  });
});

describe('a configuration that is edited', () => {
  const partition = 'edited';
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'Configuration' });
  const write = async (page: Page, text: string) => {
    await editorOf(page).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };

  flow(named('survives leaving the view, Back and a reload, until it is discarded'), async () => {
    await served.partitionWithSample(partition, withDelay(sample, 600));
    const page = await served.open(`/what-if?partition=${partition}&how=configuration`);
    await editorOf(page).click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.insertText('# my change\n');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs' }).waitFor();
    await page.goBack();
    await editorOf(page).getByText('# my change').waitFor();
    await page.reload();
    await editorOf(page).getByText('# my change').waitFor();
    await page.getByRole('button', { name: 'Discard the draft' }).click();
    await editorOf(page).getByText('# my change').waitFor({ state: 'detached' });
    await page.reload();
    await editorOf(page).getByText('partitions').first().waitFor();
    expect(await editorOf(page).getByText('# my change').count()).toBe(0);
  });

  flow(
    named('states the same before and in the question, and whom a removed queue leaves without a quota'),
    async () => {
      await served.partitionWithSample(partition, withDelay(sample, 600));
      const page = await served.open(`/what-if?partition=${partition}&how=configuration`);
      const own = withDelay(sample, 600).replace('name: default', `name: ${partition}`);
      // Ten victims, for which the run waits for an approval; adhoc goes, with its work.
      const changed = own
        .replace(/memory: 200G(\s+)vcore: 50/, 'memory: 120G$1vcore: 30')
        .replace(/ {14}- name: adhoc[\s\S]*?vcore: 20\n/, '');
      await write(page, changed);
      const outcome = page.getByRole('region', { name: 'the edited configuration' });
      await outcome.getByText('10 victims').waitFor();
      const effect = outcome.getByRole('list', { name: 'Effect' });
      await page.getByRole('button', { name: 'Put in force' }).click();
      const asks = page.getByRole('dialog');
      await asks.getByText(/wait for approval|waits for approval/).waitFor();
      expect(await asks.textContent()).not.toMatch(/evicted, the first \d+ s from then on/);
      expect(await asks.getByRole('list', { name: 'Effect' }).allTextContents()).toEqual(
        await effect.allTextContents(),
      );
      await asks.getByText(/root\.analytics\.adhoc.*enforcement.* ends/).waitFor();
      await asks.getByText(/24 GB memory, 12 vcore/).waitFor();
      await asks.getByRole('button', { name: 'Put in force' }).click();
      await page.getByText(/^It is in force, as version/).waitFor();
      await page.getByRole('link', { name: 'root.research' }).first().waitFor();
    },
  );
});

describe('a run that waits for approval', () => {
  const partition = 'waits';

  flow(named('waits everywhere, and is in progress nowhere'), async () => {
    await served.partitionWithSample(partition, withDelay(sample, 1));
    const own = withDelay(lowered, 1).replace('name: default', `name: ${partition}`);
    await served.request('PUT', `/v1/partitions/${partition}/config`, own);
    await served.until<List<{ enforcement: string }>, string>(
      `/v1/enforcements?partition=${partition}&state=waiting`,
      ({ items }) => items[0]?.enforcement,
    );
    const page = await served.open(`/?partition=${partition}`);
    const row = page.locator('[role=treeitem][data-path="root.research"]');
    await row.getByText('waits for approval').waitFor();
    await page.getByRole('region', { name: 'Running' }).getByText('No run is in progress.').waitFor();
    expect(await page.getByText('run in progress').count()).toBe(0);
    const queue = await served.open(`/queues/root.research?partition=${partition}`);
    await queue.getByText('A run waits for approval.').waitFor();
  });
});
