import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ownVariables } from '../support/curtail-process.js';
import { lasting, type ShownCommand, shownCommands } from './console-blocks.js';

const longestMs = 120_000;
/** In the order in which a newcomer reads them. Later ones build on earlier ones. */
const pages = [
  'README.md',
  'docs/tutorial/first-eviction.md',
  'docs/tutorial/offline.md',
  'docs/tutorial/larger-cluster.md',
];
/** `CURTAIL_README=write` puts what was printed into the pages, instead of comparing. */
const writes = process.env.CURTAIL_README === 'write';

/**
 * The README and the tutorials as a newcomer follows them: their commands one after the other, in a shell, against the Curtail
 * that the first command starts. Their output must be that of the pages, but for times and ids.
 */
describe('the README and the tutorials', () => {
  const children: ChildProcess[] = [];
  let folder: string;

  afterAll(async () => {
    for (const child of children) {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await once(child, 'exit');
      }
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('show what their commands print', async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-readme-'));
    const server = await startCurtail();
    /** Ids on the pages stand for the ids of this run. */
    const ids = new Map<string, string>();
    for (const page of pages) {
      let text = await readFile(page, 'utf8');
      const commands = shownCommands(text);
      expect({ page, commands: commands.length }).not.toEqual({ page, commands: 0 });
      if (page === 'README.md') expectStart(commands.shift(), server.printed);
      for (const shown of commands) {
        const printed = await printedBy(shown, server.url, ids);
        rememberIds(shown, printed, ids);
        if (writes)
          text = text.replace(
            blockOf(shown),
            () => `$ ${shown.command}\n${withIdsOfPages(printed, ids)}${shown.interrupted ? '^C\n' : ''}`,
          );
        else
          expect(`${page}: $ ${shown.command}\n${lasting(printed)}`).toBe(
            `${page}: $ ${shown.command}\n${lasting(shown.expected)}`,
          );
      }
      if (writes) await writeFile(page, text);
    }
  });

  function expectStart(shown: ShownCommand | undefined, printed: string): void {
    expect(shown?.command).toBe('npm start');
    expect(lasting(printed)).toContain(lasting(shown!.expected.replace('…', '')));
  }

  async function startCurtail(): Promise<{ url: string; printed: string }> {
    // As `npm start -- …` does it, in a folder and on a port of its own.
    const child = spawn(
      process.execPath,
      ['scripts/start.mjs', '--port', '0', '--data', join(folder, 'data')],
      {
        env: { ...plainEnvironment(), CURTAIL_LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    children.push(child);
    let printed = '';
    const listening = new Promise<string>((resolve, reject) => {
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        const url = /running at (http:\S+)/.exec(printed)?.[1];
        if (url && printed.includes('Ctrl-C stops it')) resolve(url);
      });
      child.on('exit', () => reject(new Error(`npm start ended: ${printed}`)));
    });
    return { url: await listening, printed };
  }

  async function printedBy(shown: ShownCommand, url: string, ids: Map<string, string>): Promise<string> {
    const until = Date.now() + longestMs;
    for (;;) {
      const printed = await run(shown, url, ids);
      const done = writes
        ? !/above its max/.test(printed) &&
          (!/get enforcements/.test(shown.command) || / ended |waits for approval/.test(printed))
        : lasting(printed) === lasting(shown.expected);
      if (done || Date.now() > until || !/ get /.test(shown.command)) return printed;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async function run(shown: ShownCommand, url: string, ids: Map<string, string>): Promise<string> {
    let command = shown.command
      .replaceAll('npx curtail', 'node bin/curtail.mjs')
      .replace('load.yaml', join(folder, 'load.yaml'));
    for (const [onPage, now] of ids) command = command.replaceAll(onPage, now);
    const child = spawn('sh', ['-c', `exec ${command} 2>&1`], {
      env: { ...plainEnvironment(), CURTAIL_SERVER: url, CURTAIL_OUTPUT: 'table', COLUMNS: '80', TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let printed = '';
    for await (const chunk of child.stdout!) {
      printed += chunk;
      if (shown.interrupted && printed.trim().split('\n').length >= 2) child.kill('SIGINT');
    }
    return (
      printed
        .replaceAll(`${folder}/`, '')
        .replaceAll(url, 'http://127.0.0.1:8080')
        // Hints name commands as this one was called.
        .replaceAll('node bin/curtail.mjs', 'npx curtail')
    );
  }
});

/** The settings of the caller of the tests must not change what is printed. */
function plainEnvironment(): Record<string, string | undefined> {
  const { FORCE_COLOR: _, ...environment } = ownVariables();
  return environment;
}

const id = /\be-[0-9a-z]{12}\b/g;

function rememberIds(shown: ShownCommand, printed: string, ids: Map<string, string>): void {
  const now = printed.match(id) ?? [];
  const onPage = writes ? now : (shown.expected.match(id) ?? []);
  onPage.forEach((name, index) => {
    if (!ids.has(name) && now[index]) ids.set(name, now[index]);
  });
  // A page that is rewritten may still name the run of its last writing.
  if (writes && /get (timers|enforcements)/.test(shown.command) && now[0]) ids.set('e-yh38gev3p32p', now[0]);
}

function withIdsOfPages(printed: string, ids: Map<string, string>): string {
  let text = printed;
  for (const [onPage, now] of ids) text = text.replaceAll(now, onPage);
  return text;
}

function blockOf({ command, expected, interrupted }: ShownCommand): string {
  return `$ ${command}\n${expected}${interrupted ? '^C\n' : ''}`;
}
