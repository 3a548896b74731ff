import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeYtsaurus } from '../clusters/ytsaurus/fake-ytsaurus.js';
import { assertBuilt } from '../support/curtail-process.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { commandsOf } from './guide-commands.js';
import { Reader } from './reader.js';

const page = 'docs/how-to/ytsaurus.md';
/** The block with the function that saves answers. */
const [saving = ''] = /^mkdir -p answers\nsave\(\)[^`]*/m.exec(readFileSync(page, 'utf8')) ?? [];

/** What docs/how-to/ytsaurus.md tells its reader to type, in processes of their own, beside the fake. */
describe(`the commands of ${page}`, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let fake: FakeYtsaurus;
  let reader: Reader;
  let operations: string[];
  const started: StartedProgram[] = [];

  beforeAll(async () => {
    await assertBuilt();
    folder = await temporaryFolder();
    fake = await new FakeYtsaurus().up();
    const { world } = fake;
    world.schedules = false;
    world.addTree('physical', { main_resource: 'cpu', allocation_preemption_timeout: 7000 });
    for (const pool of ['prod', 'dev']) world.addPool('physical', pool);
    world.addNode('n1:9012', { cpu: 100, memory: 1000, user_slots: 100 }, 'physical');
    const old = world.addOperation({ pool: 'dev', job: { cpu: 10 }, pending: 0 });
    world.addOperation({ pool: 'prod', job: { cpu: 20 }, pending: 1 });
    const began = Date.now() - 3_600_000;
    for (let i = 0; i < 10; i++) world.startJob(old, 'n1:9012', { startedAt: began + i * 1000 });
    operations = [...world.operations.keys()];
    reader = await Reader.in(folder.path);
    await reader.open({
      before: ["printf 't\\n' > token"],
      words: { 'http://yt.example': fake.url },
      variables: { CURTAIL_AUTH: 'none', CURTAIL_OUTPUT: 'json' },
    });
  });
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL', 'group');
    await fake?.down();
    await folder?.remove();
  });

  const type = (text: string) =>
    reader.type({ page, line: 1, text, place: 'block', expected: '', interrupted: false }, () => true);
  const victims = (output: string): number =>
    JSON.parse(output.slice(0, output.lastIndexOf('}') + 1)).victims.length;
  const typed = (pattern: RegExp) =>
    commandsOf(page).filter(({ place, text }) => place === 'block' && pattern.test(text));

  it('doctor finds no problem', async () => {
    const [doctor] = typed(/^curtail doctor /);
    const { status, output } = await type(doctor!.text);
    expect({ status, problems: output.match(/"problem"/g) }).toEqual({ status: 0, problems: null });
  });

  it('plan takes the tree from a proxy', async () => {
    const [explained, limited, ...others] = typed(/^curtail plan --ytsaurus-url/);
    expect(others).toEqual([]);
    expect(victims((await type(explained!.text)).output)).toBe(2);
    // 60 of 100 cores may stay.
    expect(victims((await type(limited!.text.replace('root.prod', 'root.dev'))).output)).toBe(4);
  });

  it('plan takes saved answers, and tells how to save what is missing', async () => {
    const ofJobs = /^save list_jobs-ID .*$/m;
    const [list = ''] = ofJobs.exec(saving) ?? [];
    const everyone = saving.replace(ofJobs, () =>
      operations.map((id) => list.replaceAll('ID', id)).join('\n'),
    );
    const { status, output } = await type(everyone);
    expect({ status, victims: victims(output) }).toEqual({ status: 1, victims: 2 });
    const plan = `CURTAIL_OUTPUT=table ${saving.slice(saving.indexOf('curtail plan'))}`;
    for (const command of everyone.match(/^save [a-z].*?'.*?'/gm) ?? []) {
      const [, file = ''] = command.split(' ');
      // That one is read where it is there, and operations without jobs need no list.
      if (file === 'node_addresses' || file === `list_jobs-${operations[1]}`) continue;
      await rm(join(reader.folder, 'answers', `${file}.json`));
      const without = await type(plan);
      expect(without).toEqual({ status: 2, output: expect.stringContaining(`${file}.json`) });
      expect(without.output).toContain(command);
      // As the message says.
      await type(`${everyone.slice(0, everyone.indexOf('\nsave tree'))}\n${command}`);
    }
    expect((await type(plan)).output).toContain('2 victims');
  });

  it('start reports the tree, and does not call one known that never answered', async () => {
    const [start] = typed(/^curtail start /);
    for (const [url, says, never] of [
      [fake.url, /YTsaurus is known: .* of the tree physical are reported/, /Could not read YTsaurus/],
      ['http://127.0.0.1:9', /http:\/\/127\.0\.0\.1:9 cannot be reached.*--ytsaurus-url/, /is known/],
    ] as const) {
      const curtail = StartedProgram.spawn(
        `node bin/${start!.text.replace('curtail', 'curtail.mjs').replace('http://yt.example', url)} --port 0`,
        {
          cwd: reader.folder,
          environment: {
            CURTAIL_AUTH: 'none',
            CURTAIL_DATA: join(folder.path, `data-${started.length}`),
          },
        },
      );
      started.push(curtail);
      await curtail.written(says);
      await curtail.end('SIGTERM');
      expect(curtail.output).not.toMatch(never);
    }
  });
});
