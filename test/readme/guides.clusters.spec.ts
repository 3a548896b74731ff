import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertBuilt } from '../support/curtail-process.js';
import { FakeYunikorn } from '../support/fake-yunikorn.js';
import { TestKubernetes } from '../support/kubernetes.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { commandsOf, type GuideCommand, guides } from './guide-commands.js';
import { whyNotRun } from './not-run.js';
import { playPage } from './play-page.js';
import { pagesOfClusters, preparations } from './preparations.js';
import { Reader } from './reader.js';
import { shapesOnKubernetes } from './shapes.js';

const context = 'tests';
const pods = 30;
const stopped = { code: 0, signal: null, left: [] };

const hasKubectl = isThere('kubectl');
const withKubectl = hasKubectl ? it : it.skip;
const needs = hasKubectl ? '' : ' SKIPPED: needs kubectl on the PATH';

/** Curtail beside a real API server, as the guides start it: a process of its own. */
describe('on a real Kubernetes', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let kubernetes: TestKubernetes;
  let yunikorn: FakeYunikorn;
  let kubeconfig: string;
  let node: string;
  const started: StartedProgram[] = [];
  let readers = 0;

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
    kubernetes = await TestKubernetes.open();
    kubeconfig = await kubernetes.kubeconfig();
    node = await kubernetes.node();
    const team = await kubernetes.namespace({ name: 'team-a', quota: { 'requests.cpu': '40' } });
    await kubernetes.runningPods(
      team,
      Array.from({ length: pods }, (_, at) => `work-${at}`),
      { node },
    );
    const home = await kubernetes.namespace({ name: 'yunikorn' });
    await kubernetes.ask('POST', `/api/v1/namespaces/${home}/configmaps`, {
      metadata: { name: 'yunikorn-configs' },
      data: { 'queues.yaml': await readFile('test/clusters/yunikorn/queues.yaml', 'utf8') },
    });
    yunikorn = new FakeYunikorn(kubernetes, home);
    await yunikorn.up();
  });
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL', 'group');
    await yunikorn?.close();
    await kubernetes?.close();
    await folder?.remove();
  });

  it.each(Object.entries(shapesOnKubernetes))('curtail start, with %s', async (name, shape) => {
    const { options = '', settings, shows } = shape;
    const curtail = StartedProgram.spawn(`node bin/curtail.mjs start --port 0 ${options}`, {
      environment: {
        CURTAIL_DATA: join(folder.path, `data-${started.length}`),
        CURTAIL_KUBECONFIG: kubeconfig,
        ...(name.startsWith('yunikorn') && { CURTAIL_YUNIKORN_URL: yunikorn.url }),
        ...settings,
      },
    });
    started.push(curtail);
    await curtail.written(/Ctrl-C stops it/);
    expect(curtail.output).toMatch(shows);
    expect(await curtail.end('SIGTERM')).toEqual(stopped);
  });

  withKubectl(`docs/how-to/kubernetes.md${needs}`, async () => {
    const { reader, play, again } = await readerOf('docs/how-to/kubernetes.md');
    expect(await play()).toEqual([]);
    // Its last step, which it tells in a sentence.
    await again('--mode enforce');
    const lower = `kubectl -n team-a patch resourcequota quota --type merge -p '{"spec":{"hard":{"requests.cpu":"20"}}}'`;
    await reader.open({ before: [lower] });
    await kubernetes.until('the clock of the lowered quota to be ended early', async () => {
      const { status } = await reader.type(typed('npx curtail enforce root.team-a --now'), () => true);
      return status === 0;
    });
    await kubernetes.until(
      '20 pods to be left',
      async () => (await kubernetes.remaining('team-a')).length <= 20,
    );
    expect(await kubernetes.remaining('team-a')).toHaveLength(20);
    expect(await started.at(-1)!.end('SIGTERM')).toEqual(stopped);
  });

  withKubectl(`docs/how-to/yunikorn.md${needs}`, async () => {
    const { reader, play } = await readerOf('docs/how-to/yunikorn.md');
    expect(await play()).toEqual([]);
    // The agent enforces what the file switches off for YuniKorn, and so it is previewed.
    const { output } = await reader.type(typed('npx curtail what-if -f new-queues.yaml'), () => true);
    expect(output).toMatch(/^new-queues\.yaml +1 +0 .* in 10 min/m);
    expect(await started.at(-1)!.end('SIGTERM')).toEqual(stopped);
  });

  withKubectl(`kubectl on all other pages${needs}`, async () => {
    await kubernetes.pod('default', 'train-17', { node });
    const typedHere = (command: GuideCommand) =>
      command.text.startsWith('kubectl ') && whyNotRun(command) === undefined;
    const pages = guides().filter((page) => !pagesOfClusters.includes(page));
    for (const page of pages.filter((one) => commandsOf(one).some(typedHere))) {
      const { play } = await readerOf(page, typedHere);
      expect(await play()).toEqual([]);
    }
    await kubernetes.remove('/api/v1/namespaces/default/pods/train-17', 0);
  });

  async function readerOf(
    page: string,
    isTyped = (command: GuideCommand) => whyNotRun(command) === undefined || isOfCluster(command),
  ) {
    const own = join(folder.path, `reader-${readers++}`);
    await mkdir(own);
    const reader = await Reader.in(own);
    reader.with({ KUBECONFIG: kubeconfig });
    const preparation = {
      ...preparations[page],
      words: { ...preparations[page]?.words, NAME: context, 'http://127.0.0.1:9080': yunikorn.url },
    };
    let line = '';
    const start = async (text: string) => {
      line = text;
      const curtail = await reader.start(text);
      started.push(curtail);
      reader.use(/running at (http:\S+)/.exec(curtail.output)![1]!);
      return undefined;
    };
    return {
      reader,
      play: () =>
        playPage(reader, page, {
          preparation,
          isTyped,
          start: ({ text }) => start(text),
        }),
      again: async (options: string) => {
        expect(await started.at(-1)!.end('SIGTERM')).toEqual(stopped);
        await start(`${line} ${options}`);
      },
    };
  }
});

/** What a sentence names and only a cluster can answer. */
const isOfCluster = ({ text }: GuideCommand) => /^(npx )?curtail doctor( --enforce --manifest)?$/.test(text);

const typed = (text: string): GuideCommand => ({
  ...{ page: '', line: 0, place: 'block', expected: '', interrupted: false },
  text,
});

function isThere(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
