import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { findBrowser, startBrowser } from '../../test/page/browser.js';
import { milliseconds, quantile } from '../measure.js';
import { cpuSeconds } from '../processes.js';
import { type Row, report } from '../report.js';
import { type Application, startApplication } from '../service/application.js';
import { type Point, slopeOf } from '../slope.js';
import { withFolder } from '../temporary-folder.js';
import {
  find,
  firstContentMs,
  heapSizes,
  isShown,
  openFresh,
  scriptBytes,
  toggle,
  untilShown,
} from './in-browser.js';
import { fill, manyPartition, partition, recordEvents, send, size } from './load.js';
import { openPages } from './pages.js';

const times = 7;
const eventsPerSecond = 20;
const pages = 200;
const cpuMeasuredMs = 30_000;
const heapReadEveryMs = 30_000;
/** `npm run bench:console -- memory 60` watches the memory for an hour, and does nothing else. */
const given = process.argv.slice(2);
const minutes = Number(given.find((word) => /^\d+$/.test(word)) ?? 3);
const parts = given.filter((word) => !/^\d+$/.test(word));
const isWanted = (part: 'views' | 'memory' | 'pages') => parts.length === 0 || parts.includes(part);

const median = (values: number[]) => quantile(values, 0.5);
const most = (what: string, values: number[], target: number): Row => ({
  what,
  measured: milliseconds(median(values)),
  target: `<= ${target} ms`,
  met: median(values) <= target,
});

async function repeated(work: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let i = 0; i < times; i++) values.push(await work());
  return values;
}

async function views(browser: Browser, { url }: Application): Promise<Row[]> {
  const first = (of: string) =>
    repeated(async () => {
      const page = await openFresh(browser, `${url}/ui/?partition=${of}`);
      const ms = await firstContentMs(page);
      await page.context().close();
      return ms;
    });
  const page = await openFresh(browser, `${url}/ui/?partition=${partition}`);
  const many = await openFresh(browser, `${url}/ui/?partition=${manyPartition}`);
  const bytes = await scriptBytes(page);
  const rows: Row[] = [
    {
      what: 'scripts at first, compressed',
      measured: `${Math.round(bytes / 1000)} kB`,
      target: '<= 300 kB',
      met: bytes <= 300_000,
    },
    most(`first content, ${size.queues} queues`, await first(partition), 1200),
    {
      what: `first content, ${size.manyQueues} queues`,
      measured: milliseconds(median(await first(manyPartition))),
    },
    most('filter', await filtered(page, 'load.q99', 'root.load.q99'), 100),
    most('expand', await expanded(page, 'root.load', 'root.load.q0'), 100),
    most(`filter, ${size.manyQueues} queues`, await filtered(many, 'team57.q9', 'root.team57.q9'), 200),
    most(`expand, ${size.manyQueues} queues`, await expanded(many, 'root.team0', 'root.team0.q0'), 200),
    most('an event, from the command that records it', await eventSeen(page, url), 300),
  ];
  await many.context().close();
  await page.context().close();
  return rows;
}

const filtered = (page: Page, text: string, path: string) =>
  repeated(async () => {
    const ms = await untilShown(page, find(text), isShown(path));
    await untilShown(page, find(''), `!(${isShown(path)})`);
    return ms;
  });

const expanded = (page: Page, path: string, child: string) =>
  repeated(async () => {
    const ms = await untilShown(page, toggle(path), isShown(child));
    await untilShown(page, toggle(path), `!(${isShown(child)})`);
    return ms;
  });

/** From before a stop is sent until the page says that it is stopped: the commit is within this time. */
async function eventSeen(page: Page, url: string): Promise<number[]> {
  const isStopped = `[...document.querySelectorAll('header button')].some(({ textContent }) => textContent === 'Stopped')`;
  return repeated(async () => {
    await delay(1500);
    const seen = untilShown(page, 'window.beganAt = Date.now()', isStopped).then(
      async (ms) => Number(await page.evaluate('window.beganAt')) + ms,
    );
    const sent = performance.timeOrigin + performance.now();
    await send(url, 'POST', '/v1/kill-switch', { partition, reason: 'bench' });
    const at = await seen;
    await send(url, 'DELETE', `/v1/kill-switch?partition=${partition}`);
    await untilShown(page, '', `!(${isStopped})`);
    return at - sent;
  });
}

/**
 * The heap of a page while events go on, each time after a collection. Objects show a leak; the rest grows until V8 has
 * compiled what the page uses.
 */
async function memory(browser: Browser, { url, databaseUrl }: Application): Promise<Row[]> {
  const page = await openFresh(browser, `${url}/ui/?partition=${partition}`);
  const end = await recordEvents(databaseUrl, eventsPerSecond);
  await delay(30_000);
  const all: Point[] = [];
  const objects: Point[] = [];
  for (const began = performance.now(); ; ) {
    const at = (performance.now() - began) / 1000;
    const sizes = await heapSizes(page);
    all.push({ at, value: sizes.all });
    objects.push({ at, value: sizes.objects });
    if (at >= minutes * 60) break;
    await delay(Math.min(heapReadEveryMs, minutes * 60_000 - 1000 * at));
  }
  await end();
  await page.context().close();
  const grown = minutes * 60 * slopeOf(objects).perSecond;
  return [
    ...heapRows('heap of a page', all),
    ...heapRows('its objects', objects),
    {
      what: `objects, grown along the line in ${minutes} min`,
      measured: megabytes(grown),
      target: '<= 10 %',
      met: grown <= 0.1 * objects[0]!.value,
    },
  ];
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;

function heapRows(what: string, points: Point[]): Row[] {
  const { perSecond, noise } = slopeOf(points);
  return [
    {
      what: `${what}, at first and after ${minutes} min at ${eventsPerSecond} events/s`,
      measured: `${megabytes(points[0]!.value)}, ${megabytes(points.at(-1)!.value)}`,
    },
    { what: `the line through ${points.length} readings: an hour`, measured: megabytes(3600 * perSecond) },
    { what: 'readings off that line, on average', measured: megabytes(noise) },
  ];
}

/** The cost of open pages, beside the same events without one. */
async function openPagesCost({ url, databaseUrl, pid, databasePid }: Application): Promise<Row[]> {
  const cost = async () => {
    const before = await cpuSeconds(pid, databasePid);
    await delay(cpuMeasuredMs);
    const after = await cpuSeconds(pid, databasePid);
    if (!before || !after) return undefined;
    const each = 1000 / cpuMeasuredMs;
    return {
      own: (after.process - before.process) * each,
      database: (after.database - before.database) * each,
    };
  };
  const end = await recordEvents(databaseUrl, eventsPerSecond);
  await delay(5000);
  const without = await cost();
  const open = openPages(url, pages);
  await delay(20_000);
  const readings = open.readings();
  const withPages = await cost();
  const read = ((open.readings() - readings) * 1000) / cpuMeasuredMs;
  await open.close();
  await end();
  if (!without || !withPages) return [];
  const share = withPages.own - without.own;
  const percent = (of: number) => `${(100 * of).toFixed(1)} % of a core`;
  return [
    { what: `${eventsPerSecond} events/s without a page`, measured: percent(without.own) },
    {
      what: `${pages} open pages beside that`,
      measured: percent(share),
      target: '<= 10 %',
      met: share <= 0.1,
    },
    { what: 'the same of its PostgreSQL', measured: percent(withPages.database - without.database) },
    { what: 'pages that read again, each second', measured: read.toFixed(1) },
  ];
}

/** All pages come from one address. */
const unlimited = { CURTAIL_RATE_LIMIT_PER_MINUTE: '0' };

const found = await findBrowser();
if ('missing' in found) {
  console.error(found.missing);
  process.exitCode = 2;
} else {
  await withFolder(async (folder) => {
    const application = await startApplication(folder, unlimited);
    const browser = await startBrowser(found.path);
    try {
      await fill(application.url);
      if (isWanted('views'))
        report(
          `The page: ${size.queues} queues, ${size.allocations} allocations, ${size.events} events`,
          await views(browser, application),
        );
      if (isWanted('memory')) report('Memory of the page', await memory(browser, application));
      if (isWanted('pages')) report('Open pages', await openPagesCost(application));
    } finally {
      await browser.close();
      await application.stop();
    }
  });
}
