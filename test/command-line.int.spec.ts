import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('../bin/curtail.mjs', import.meta.url));

/** The built command line in a process of its own. `upTo` closes its output after so many bytes. */
async function spawned(argv: string[], { stdin = '', upTo = Number.POSITIVE_INFINITY, at = program } = {}) {
  const child = spawn(process.execPath, [at, ...argv], { stdio: 'pipe', env: { PATH: process.env.PATH } });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk;
    if (stdout.length >= upTo) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  // A reader that has gone takes the writer's pipe along.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { status, stdout, stderr };
}

describe('the built command line', () => {
  it('gives results on standard output and messages on standard error', async () => {
    const fine = await spawned(['quantity', '--batch', '-'], { stdin: '{"text":"1G"}\n{"text":"1X"}\n' });
    expect(fine.status).toBe(0);
    expect(fine.stdout.split('\n')[0]).toBe('{"value":1000000000}');
    expect(fine.stderr).toBe('1 of 2 lines could not be used; the output has their errors instead\n');
    const refused = await spawned(['validate', '-'], { stdin: 'partitions: 5' });
    expect(refused.status).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ valid: false });
  });

  it('reads and writes whatever fits through a pipe, and stops quietly when no one reads on', async () => {
    const stdin = '{"text":"20Gi"}\n'.repeat(50_000);
    const whole = await spawned(['quantity', '--batch', '-'], { stdin });
    expect(whole.stdout).toBe('{"value":21474836480}\n'.repeat(50_000));
    const cut = await spawned(['quantity', '--batch', '-'], { stdin, upTo: 10 });
    expect({ status: cut.status, stderr: cut.stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('completes commands and options, and no names while no server answers', async () => {
    const completions = async (...words: string[]) =>
      (await spawned(['complete', '--', ...words])).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(await completions('st')).toEqual(expect.arrayContaining(['start', 'status', 'stop']));
    expect(await completions('get', 'queues', '--sort')).toContain('--sort-by');
    expect(await completions('--server', 'http://127.0.0.1:1', 'get', 'queues', '')).toEqual([':4', '']);
    for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
      expect((await spawned(['completion', shell])).stdout).toMatch(/curtail complete '?--/);
    }
  });

  it('has the version of its package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(await spawned(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('finds every command without a server', async () => {
    const plan = await spawned(['plan', '--batch', '-'], { stdin: '{}\n' });
    expect(plan.status).toBe(0);
    expect(JSON.parse(plan.stdout)).toMatchObject({ error: { message: expect.any(String) } });
    const timeline = await spawned(['timeline', '--input', '-'], { stdin: '{}' });
    expect(timeline).toMatchObject({ status: 2, stdout: '' });
  });

  it('states the remedy where it has not been built', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'curtail-bin-'));
    try {
      await cp(program, join(folder, 'bin', 'curtail.mjs'));
      const { status, stderr } = await spawned(['--help'], { at: join(folder, 'bin', 'curtail.mjs') });
      expect(status).toBe(2);
      expect(stderr).toContain('npm ci && npm run build');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
