import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installInto, linkInto, outsideNpm, packInto } from '../support/installed-package.js';
import { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const run = promisify(execFile);
/** Programs of others in the folder `examples` come with their sources. */
const notInPackage =
  /(^|\/)(test|testing|bench|web)\/|\.spec\.|\.map$|^(?!examples\/).*\.tsx?$|^(apps|libs|scripts)\//;

describe('the package', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let packed: Awaited<ReturnType<typeof packInto>>;
  let work: string;
  const started: StartedProgram[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    packed = await packInto(folder.path);
    work = await emptyFolder('work');
    await installInto(work, packed.tarball);
  });
  afterAll(async () => {
    for (const one of started) await one.end('SIGKILL', 'group');
    await folder?.remove();
  });

  async function emptyFolder(name: string): Promise<string> {
    const path = join(folder.path, name);
    await mkdir(path);
    return path;
  }
  const called = (cwd: string, line: string, variables: NodeJS.ProcessEnv = {}) =>
    run('sh', ['-c', line], { cwd, env: { ...outsideNpm(), ...variables } });

  it('has the built programs, what they read and what an installation needs, and nothing else', () => {
    expect(packed.files.filter((path) => notInPackage.test(path))).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'package.json', 'bin/curtail.mjs', 'man/curtail.1'],
        ...['completions/curtail.bash', 'completions/_curtail', 'completions/curtail.fish'],
        ...['dist/apps/curtail/src/main.js', 'dist/migrations/index.js', 'dist/apps/console/page/index.html'],
        ...['examples/queues.yaml', 'examples/queues-lowered.yaml', 'docs/how-to/install.md'],
        ...[
          'deploy/helm/curtail/Chart.yaml',
          'deploy/systemd/curtail.service',
          'deploy/prometheus/curtail.rules.yaml',
        ],
      ]),
    );
  });

  it('runs the first eviction from an empty folder, with the commands that it prints', async () => {
    const cwd = work;
    const curtail = 'npx --no-install curtail';
    const environment = { ...outsideNpm(), CURTAIL_PORT: '0', CURTAIL_LOG_LEVEL: 'warn' };
    const server = StartedProgram.spawn('node_modules/.bin/curtail start', { cwd, environment });
    started.push(server);
    const [, url] = await server.written(/running at (http:\S+)[\s\S]*Ctrl-C stops it/);
    expect(server.output).not.toMatch(/npx curtail/);
    const of = { CURTAIL_SERVER: url };

    // As they are printed.
    const apply = /^ {2}(\S.* apply -f \S+queues-lowered\.yaml) {2}/m.exec(server.output)?.[1];
    expect(apply).toBe(`${curtail} apply -f node_modules/curtail/examples/queues-lowered.yaml`);
    const { stderr } = await called(cwd, apply!, of);
    expect(stderr).toContain(`next: watch the delay run: ${curtail} get timers --watch`);

    const clocks = await called(cwd, `${curtail} get timers --queue root.research -o json`, of);
    const [{ enforcement }] = JSON.parse(clocks.stdout).items as [{ enforcement: string }];
    const ended = await called(cwd, `${curtail} wait ${enforcement} -o json`, of);
    expect(JSON.parse(ended.stdout)).toMatchObject({ queue: 'root.research', outcome: 'satisfied' });
    const events = await called(cwd, `${curtail} get events --type VictimEvicted -o json`, of);
    expect(JSON.parse(events.stdout).items).toHaveLength(10);

    expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null, left: [] });
  });

  it('needs no package that only development has', async () => {
    const cwd = await emptyFolder('linked');
    await linkInto(cwd, packed.tarball);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    const printed = await called(cwd, 'npx --no-install curtail --version');
    expect(printed.stdout).toBe(`${version}\n`);
    // The services are those of `curtail start`; the agent is only here.
    const agent = await called(cwd, 'node node_modules/curtail/dist/apps/agent/src/main.js --help');
    expect(agent).toMatchObject({ stderr: '', stdout: expect.stringContaining('CURTAIL_KUBECONFIG') });
  });
});
