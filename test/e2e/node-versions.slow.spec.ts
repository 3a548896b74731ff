import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CurtailFolder } from '../support/curtail-process.js';

const run = promisify(execFile);
const versions = ['22.23.5', '24.22.3'];

/** The program of a version of Node, from npm, once; undefined where there is none for this machine, or no registry. */
function programOf(version: string): string | undefined {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(homedir(), '.cache/curtail', `node-${version}`);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  const words = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  try {
    execFileSync('npm', [...words, `${name}@${version}`], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return program;
}

describe.each(versions)('Curtail on Node %s', (version) => {
  const node = programOf(version);
  if (node === undefined) {
    it.skip(`needs the npm package node-${process.platform}-${process.arch}@${version}`, () => {});
    return;
  }
  let folder: CurtailFolder;
  beforeAll(async () => {
    folder = await CurtailFolder.create();
  });
  afterAll(() => folder?.remove());

  it('is of a version that engines permits', async () => {
    expect((await run(node, ['--version'])).stdout.trim()).toBe(`v${version}`);
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const [major] = version.split('.');
    expect(engines.node.split('||').some((range) => new RegExp(`[\\^=]${major}\\.`).test(range))).toBe(true);
  });

  it('starts in one process, answers, and stops', async () => {
    const started = folder.spawn({ node });
    const answer = await fetch(`${await started.listening}/v1/status`);
    expect(answer.status).toBe(200);
    expect(await started.interrupt()).toEqual({ code: 0, signal: null });
  });
});
