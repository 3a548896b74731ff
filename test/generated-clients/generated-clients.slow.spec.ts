import { mkdtempSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalog } from '#contracts/events';
import { openDatabase } from '#event-store';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { EmbeddedSystem } from '../support/embedded-system.js';
import { missingOf, outputOf, pythonWith, runsWith } from '../support/example-programs.js';
import { withPastMonths } from '../support/past-months.js';

const here = 'test/generated-clients';
const python = await pythonWith(`${here}/requirements.txt`);
const lacking = await missingOf('curl', 'sh');
const missing = 'missing' in python ? python.missing : lacking && `there is no ${lacking}`;

/** What docs/how-to/generate-a-client.md tells its readers to run. */
const page = readFileSync('docs/how-to/generate-a-client.md', 'utf8');
const blocks = (kind: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text]) => text!);
const address = 'http://localhost:8080';

describe('clients that generators make', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curtail-generated-'));
  let database: TestDatabase | undefined;
  let system: EmbeddedSystem;
  /** What the generators of the guide said. */
  let generated: string;

  const run = async (command: string, words: string[], environment: Record<string, string> = {}) => {
    const { code, lines } = await outputOf(command, words, environment, folder);
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${lines.join('\n')}`);
    return lines;
  };
  /** Runs a program in Python with the clients; what it printed, as JSON. */
  const program = async (name: string, partition: string) => {
    await copyFile(join(here, name), join(folder, name));
    const environment = {
      CURTAIL_URL: system.url,
      CURTAIL_TEST_PARTITION: partition,
      CURTAIL_TEST_NOW: new Date().toISOString(),
    };
    return (await run(join(folder, '.venv/bin/python'), [name], environment)).map((line) => JSON.parse(line));
  };

  beforeAll(async () => {
    if (missing !== undefined || !('folder' in python)) return;
    database = await createMigratedDatabase();
    const db = await openDatabase(database.url);
    await withPastMonths(db, 3);
    await db.destroy();
    system = await EmbeddedSystem.start({ archiveDir: folder }, database);
    await symlink(resolve(python.folder, '..'), join(folder, '.venv'));
    await mkdir(join(folder, 'docs/reference'), { recursive: true });
    await copyFile('docs/reference/inbound.schema.json', join(folder, 'docs/reference/inbound.schema.json'));
    const commands = blocks('sh')
      .join('')
      .split(/(?<!\\)\n/)
      .filter((line) => line !== '' && !/ -m venv |\/pip install /.test(line));
    generated = '';
    for (const command of commands) generated += (await run('sh', ['-c', localized(command)])).join('\n');
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await system?.stop().finally(() => database?.drop());
  });

  const localized = (text: string) => text.replaceAll(address, system.url);
  const test = (name: string) => runsWith(name, missing);

  it('are made by the generators of the versions that the guide installs', () => {
    const [install] = blocks('sh')
      .join('')
      .match(/(?<=pip install ).*/)!;
    const pinned = readFileSync(`${here}/requirements.txt`, 'utf8');
    for (const name of install.split(' ')) expect(pinned).toContain(`\n${name} \\\n`);
  });

  const complete = test('have all routes and all their answers');
  complete.run(complete.name, () => {
    const warnings = [...generated.matchAll(/^WARNING parsing (.*)\n+(.*)$/gm)].map(
      ([, of, what]) => `${of} ${what}`,
    );
    const isText =
      /^PUT \S+\/config within configuration\. Unsupported content type (application\/(yaml|xml|x-yt-yson-text)|text\/plain)$/;
    expect(warnings.filter((warning) => !isText.test(warning))).toEqual([]);
    expect(warnings).toHaveLength(6);
    expect(generated.match(/WARNING/g)).toHaveLength(6);
    expect(generated).not.toMatch(/omitted|duplicate/i);
  });

  const guide = test('run the programs of the guide');
  guide.run(guide.name, async () => {
    const [first, second, ...more] = blocks('python');
    expect(more).toEqual([]);
    const output = async (text: string) => {
      await writeFile(join(folder, 'guide.py'), localized(text));
      return run(join(folder, '.venv/bin/python'), ['guide.py']);
    };
    const before = 'partitions: [{name: default, queues: [{name: root}]}]';
    await system.request('PUT', '/v1/partitions/default/config', before);
    expect(await output(first!)).toEqual([
      'root.research clock: none',
      expect.stringMatching(/^20.* ConfigApplied$/),
    ]);
    expect(await output(second!)).toEqual(['root {}']);
  });

  const client = test('by openapi-python-client call a real server, and read its answers and refusals');
  client.run(client.name, async () => {
    const { name } = system.partition();
    expect(await program('openapi_python_client.py', name)).toEqual([
      ['put config', 200, 'Applied', null],
      ['preview config', 200, 'Preview', name],
      ['put config again', 412, 'Problem', 'configuration-changed'],
      ['get config', 200, 'ConfigurationInForce', true],
      ['load', 200, 'LoadDone', 20],
      ['load again', 400, 'Problem', 'under'],
      ['queues', 200, 'QueuePage', expect.arrayContaining(['root', 'root.a'])],
      ['no queue', 404, 'Problem', 'unknown-queue'],
      ['events', 200, 'EventPage', true],
      ['event', 200, 'Event', true],
      ['replay', 200, 'ReplayDone', 'DigestReplay'],
      ['republication', 409, 'Problem', 'no-kafka'],
      ['archive', 200, 'ArchiveDone', true],
      ['explained', 404, 'Problem', 'not-found'],
      ['inventory', 409, 'Problem', 'no-inventory'],
      ['kill switch', 404, 'Problem', 'unknown-partition'],
      ['answer', 404, 'Problem', 'allocation-gone'],
      ['retry', 404, 'Problem', 'unknown-dead-letter'],
    ]);
  });

  const models = test(
    'by datamodel-code-generator read the answers of a real server, and write its messages',
  );
  models.run(models.name, async () => {
    const { name } = system.partition();
    const lines = await program('datamodel_code_generator.py', name);
    expect(catalog.AllocationStarted.schema.safeParse(lines.pop())).toMatchObject({ success: true });
    expect(lines).toEqual([
      ['PUT /v1/partitions/{partition}/config', 200, 'Preview'],
      ['PUT /v1/partitions/{partition}/config', 200, 'Applied'],
      ['PUT /v1/partitions/{partition}/config', 422, 'Problem'],
      ['PUT /v1/partitions/{partition}/config', 415, 'Problem'],
      ['GET /v1/partitions/{partition}/config', 200, 'ConfigurationInForce'],
      ['GET /v1/queues', 200, 'QueuePage'],
      ['POST /v1/partitions/{partition}/simulated/load', 200, 'LoadDone', 'LoadedWork'],
      ['GET /v1/allocations', 200, 'AllocationPage'],
      ['GET /v1/events', 200, 'EventPage'],
      ['GET /v1/status', 200, 'Status'],
      ['GET /v1/queues/root.nosuch', 404, 'Problem'],
      ['GET /v1/inventory', 409, 'Problem'],
      ['POST /v1/replays', 200, 'ReplayDone', 'DigestReplay'],
      ['lines', 'ProgressLine', 'ReplayResultLine'],
    ]);
  });
});
