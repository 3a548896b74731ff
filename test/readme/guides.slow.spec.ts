import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertBuilt } from '../support/curtail-process.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { faultsOf } from './command-faults.js';
import { commandsOf, type GuideCommand, guides, runbookPages } from './guide-commands.js';
import { lasting } from './lasting.js';
import { whyNotRun } from './not-run.js';
import { isStart, playPage } from './play-page.js';
import { pagesOfClusters, preparations } from './preparations.js';
import { Reader } from './reader.js';

/** In the order in which a newcomer reads them. Later ones build on earlier ones. */
const first = ['README.md', 'first-eviction', 'offline', 'larger-cluster'].map((name) =>
  name.endsWith('.md') ? name : `docs/tutorial/${name}.md`,
);
const pages = [
  ...first,
  ...guides().filter((page) => ![...first, ...pagesOfClusters, ...runbookPages()].includes(page)),
];
/**
 * All guides as a newcomer follows them: their commands one after the other, each a process of its own, against the Curtail that the
 * first one starts.
 */
describe('the guides', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let reader: Reader;
  let server: StartedProgram;
  const started: StartedProgram[] = [];
  let url: string;
  const typed = new Set<string>();

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
    reader = await Reader.in(folder.path);
    server = await reader.start('npm start', { CURTAIL_ARCHIVE_DIR: 'archive' });
    started.push(server);
    url = /running at (http:\S+)/.exec(server.output)![1]!;
    reader.use(url);
    typed.add('npm start');
  });
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL', 'group');
    await folder?.remove();
  });

  it('begin with npm start, which prints what the README shows', () => {
    const [start] = commandsOf('README.md');
    expect(start?.text).toBe('npm start');
    expect(lasting(server.output)).toContain(lasting(start!.expected.replace('…', '')));
  });

  it.each(pages)('%s', async (page) => {
    // Commands of curtail find this Curtail by themselves.
    const addresses = ['/v1/status', '/v1/keys'].map((path) => [`http://127.0.0.1:8080${path}`, url + path]);
    const words = { ...Object.fromEntries(addresses), ...preparations[page]?.words };
    const preparation = { ...preparations[page], words };
    expect(await playPage(reader, page, { preparation, isTyped, start: faultOfStart })).toEqual([]);
  });

  it('name npx curtail, which npm finds in a checkout', async () => {
    const npx = StartedProgram.spawn('npx curtail --version');
    expect(await npx.ended).toEqual({ code: 0, signal: null });
  });

  it('end with npm, and leave nothing behind', async () => {
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null, left: [] });
  });

  /** What a sentence repeats, or names without its arguments, is not typed. */
  function isTyped(command: GuideCommand): boolean {
    // Commands of kubectl are typed beside a Kubernetes (guides.clusters.spec.ts).
    if (whyNotRun(command) !== undefined || command.text.startsWith('kubectl ')) return false;
    if (command.place !== 'sentence' && !isStart(command)) return true;
    const text = command.text.replace('npx curtail', 'curtail').replace(/ +#.*/, '');
    if (typed.has(text) || faultsOf({ ...command, place: 'block' }).length > 0) return false;
    typed.add(text);
    return true;
  }

  async function faultOfStart({ text }: GuideCommand): Promise<string | undefined> {
    const one = await reader.start(text, { CURTAIL_DATA: `${folder.path}/data-${started.length}` });
    started.push(one);
    const end = await one.end('SIGTERM');
    return end.code === 0 && end.left.length === 0 ? undefined : `${JSON.stringify(end)} ${one.output}`;
  }
});
