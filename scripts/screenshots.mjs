/**
 * `npm run screenshots`: renders the pictures of the README and the documents from a running system, with the sample: docs/images/*.png, of which
 * screencast.png is animated. docs/development.md, "The page"
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { animated } from './screenshots/animated.mjs';
import { build } from './steps/build.mjs';
import { root } from './steps/run.mjs';

const images = join(root, 'docs/images');
/** All pictures together stay below this: they are in every clone. */
const mostBytes = 1_000_000;
const viewport = { width: 1240, height: 720 };

if (!(await build((line) => console.log(`curtail: ${line}`)))) process.exit(1);
const folder = mkdtempSync(join(tmpdir(), 'curtail-screenshots-'));
const system = spawn(
  process.execPath,
  [join(root, 'dist/apps/curtail/src/main.js'), 'start', '--data', join(folder, 'data')],
  {
    env: {
      ...process.env,
      ...{
        CURTAIL_AUTH: 'none',
        CURTAIL_PORT: '0',
        CURTAIL_SAMPLE: 'yes',
        CURTAIL_APPROVE_ABOVE_VICTIMS: '5',
        CURTAIL_GRACE_SECONDS: '1',
      },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let browser;
try {
  const url = await listening();
  const executablePath = execFileSync(process.execPath, [join(root, 'scripts/browser.mjs')], {
    encoding: 'utf8',
  });
  browser = await chromium.launch({
    executablePath: executablePath.trim(),
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  });
  const page = await (await browser.newContext({ viewport, colorScheme: 'light' })).newPage();
  page.setDefaultTimeout(120_000);
  mkdirSync(images, { recursive: true });
  await play(url, page);
} finally {
  await browser?.close();
  const ended = new Promise((resolve) => system.once('close', resolve));
  system.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true });
}

/** The main flow: a quota is lowered, its run waits for a person, is approved, evicts, and says why. */
async function play(url, page) {
  const frames = [];
  /** @param seconds for which the frame is shown. */
  const frame = async (seconds) => frames.push({ png: await page.screenshot(), seconds });
  const pictures = {};
  await page.goto(`${url}/ui/`);
  await page.locator('[role=treeitem][data-path=root]').waitFor();
  await page.getByRole('status').getByText('live', { exact: true }).waitFor();
  await frame(2);
  const lowered = readFileSync(join(root, 'examples/queues-lowered.yaml'), 'utf8');
  const answer = await fetch(`${url}/v1/partitions/default/config`, {
    method: 'PUT',
    headers: { 'content-type': 'application/yaml' },
    body: lowered.replace('quota.preemption.delay: 60', 'quota.preemption.delay: 6'),
  });
  if (!answer.ok) throw new Error(await answer.text());
  await page.getByRole('region', { name: 'Due next' }).getByText('root.research').waitFor();
  await frame(2);
  const waiting = page.getByRole('region', { name: 'Waiting for a person' });
  await waiting.getByRole('link', { name: 'root.research' }).waitFor();
  await frame(2);
  pictures.overview = await page.screenshot();
  await waiting.getByRole('link', { name: 'root.research' }).click();
  await page.getByRole('heading', { name: '10 victims' }).waitFor();
  await frame(3);
  pictures.run = await page.screenshot();
  await page.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('10 allocations will be evicted').waitFor();
  await dialog.getByLabel('Your name').fill('ada');
  await frame(3);
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('10 of 10 evicted').waitFor();
  await page.getByText('The queue is free again').waitFor();
  await frame(3);
  await page.getByRole('link', { name: 'sweep-task-1', exact: true }).click();
  await page.getByText('It was evicted from root.research.').waitFor();
  await frame(5);
  pictures.why = await page.screenshot();
  pictures.screencast = animated(frames);
  const sizes = Object.entries(pictures).map(([name, png]) => {
    writeFileSync(join(images, `${name}.png`), png);
    console.log(`curtail: docs/images/${name}.png, ${Math.round(png.length / 1000)} kB`);
    return png.length;
  });
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > mostBytes)
    throw new Error(`The pictures have ${bytes} bytes together, more than ${mostBytes}.`);
}

async function listening() {
  let text = '';
  for await (const chunk of system.stdout.setEncoding('utf8')) {
    text += chunk;
    const url = /Curtail is running at (http:\/\/\S+)/.exec(text)?.[1];
    if (url === undefined) continue;
    // What it prints from now on is of no interest, and must not fill the pipe.
    system.stdout.resume();
    return url;
  }
  throw new Error(`Curtail ended:\n${text}`);
}
