import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { outputOf, pythonWith, runsWith } from '../../support/example-programs.js';
import { FakeYtsaurus } from './fake-ytsaurus.js';

const folder = import.meta.dirname;
const python = await pythonWith(join(folder, 'requirements.txt'));
const test = runsWith(
  'answers the official client as it expects',
  'missing' in python ? python.missing : undefined,
);

/** The fake is worth as much as the official client says. */
describe('the fake of YTsaurus', () => {
  let fake: FakeYtsaurus;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
  });
  afterEach(() => fake.down());

  test.run(test.name, async () => {
    if ('missing' in python) return;
    const { world } = fake;
    world.addTree('physical');
    world.addPool('physical', 'prod', { weight: 1, resource_limits: { cpu: 8 } });
    world.addPool('physical', 'prod/batch');
    world.addPool('physical', 'dev');
    world.addNode('n1:9012', { cpu: 4, memory: 4000, user_slots: 10 }, 'physical');
    const operation = world.addOperation({ pool: 'batch', job: { cpu: 1.5, memory: 100 }, pending: 3 });
    const [first, second] = world.running(operation);
    world.startJob(operation, 'n1:9012');
    // The first answer to every change is lost: the client sends it again.
    const lost = new Set<string>();
    fake.trouble = ({ command, parameters }) => {
      const id = String(parameters.mutation_id);
      if (command !== 'set' || lost.has(id)) return undefined;
      lost.add(id);
      return { losesAnswer: true };
    };
    const { code, lines } = await outputOf(
      python.command,
      [join(folder, 'official_client.py'), fake.url, operation.id, first?.id ?? '', second?.id ?? ''],
      { YT_LOG_LEVEL: 'ERROR' },
    );
    expect({ code, said: code === 0 ? [] : lines }).toEqual({ code: 0, said: [] });
    const found = JSON.parse(lines.at(-1) ?? '');
    expect(found).toMatchObject({
      pools: ['dev', 'prod'],
      printed: {
        prod: { $attributes: { weight: 3, resource_limits: { cpu: 8 } }, $value: { batch: {} } },
        dev: {},
      },
      weight: 3,
      exists: [true, false],
      orchid: {
        pool: 'batch',
        resource_usage: { cpu: 4.5, memory: 300, user_slots: 3 },
        resource_demand: { cpu: 6, memory: 400, user_slots: 4 },
      },
      operations: { operations: [{ id: operation.id, state: 'running', authenticated_user: 'alice' }] },
      operation: { id: operation.id },
      gone: [1916],
    });
    expect(found.jobs.jobs).toHaveLength(2);
    expect(found.rest.jobs).toHaveLength(1);
    const changes = fake.callsOf('set').map(({ mutation_id, retry }) => [mutation_id, retry]);
    expect(changes).toEqual([
      [changes[0]?.[0], false],
      [changes[0]?.[0], true],
    ]);
    expect(
      fake.callsOf('abort_job').map(({ job_id, interrupt_timeout }) => [job_id, interrupt_timeout]),
    ).toEqual([
      [first?.id, 5000],
      [second?.id, undefined],
      [second?.id, undefined],
    ]);
    expect(first?.interruptedAt).toBeDefined();
    expect(second?.state).toBe('aborted');
  });
});
