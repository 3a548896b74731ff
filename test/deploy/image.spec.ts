import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { nodeOptions } from '../../scripts/distributed/node-options.js';

const lines = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n');
const words = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.split(/\s+/).slice(1));
const copied = words('COPY')
  .filter(([first]) => !first?.startsWith('--from='))
  .flatMap((paths) => paths.slice(0, -1));

describe('the Dockerfile', () => {
  it('copies what is there, and what .dockerignore lets through', () => {
    const passed = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(copied.filter((path) => !existsSync(path))).toEqual([]);
    expect([...new Set(copied)].sort()).toEqual(passed.sort());
  });

  it('installs by the lock, without what only development needs', () => {
    const installs = lines.filter((line) => line.startsWith('RUN') && line.includes('npm '));
    expect(installs).toHaveLength(2);
    for (const line of installs) expect(line).toContain('npm ci');
    expect(installs[0]).toContain('--omit=dev');
  });

  it('runs on Node 24 as an ordinary user, which Kubernetes can distinguish from root', () => {
    expect(lines.find((line) => line.startsWith('ARG NODE_IMAGE'))).toMatch(/=node:24-/);
    expect(words('USER')).toEqual([['1000:1000']]);
  });

  it('runs them as `npm run start:distributed` does', () => {
    const [entry] = lines.filter((line) => line.startsWith('ENTRYPOINT '));
    expect(JSON.parse(entry!.slice('ENTRYPOINT '.length))).toEqual(expect.arrayContaining(nodeOptions));
  });

  it('gives young objects as much room as `npm start` and the benchmarks do', () => {
    const room = nodeOptions.find((option) => option.startsWith('--max-semi-space-size='));
    expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start).toContain(` ${room} `);
    for (const path of ['scripts/bench.mjs', 'bench/service/application.ts'])
      expect(readFileSync(path, 'utf8')).toContain(`'${room}'`);
  });

  it('starts the programs that its build has made', () => {
    expect(lines).toContain('RUN node scripts/steps/compile.mjs');
    expect(lines).toContain('RUN node node_modules/vite/bin/vite.js build apps/console/web');
    expect(lines).toContain('COPY --from=build /app/dist dist');
  });
});

describe('the health check of a container', () => {
  it.each([
    [200, 0],
    [503, 1],
  ])('takes the answer %d of /readyz as exit status %d', async (status, code) => {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url }, response) => {
      asked.push(url);
      response.writeHead(status).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      expect(await exitStatus((server.address() as AddressInfo).port)).toBe(code);
      expect(asked).toEqual(['/readyz']);
    } finally {
      server.close();
    }
  });

  it('fails where nothing listens', async () => {
    // Port 1 is of no one here.
    expect(await exitStatus(1)).toBe(1);
  });
});

async function exitStatus(port: number): Promise<number> {
  const environment = { PATH: process.env.PATH, CURTAIL_PORT: String(port) };
  return promisify(execFile)(process.execPath, ['deploy/healthcheck.mjs'], { env: environment }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
}
