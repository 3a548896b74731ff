import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Producer } from 'kafkajs';
import type { StatusView } from '#contracts/api';
import { cloudEvent } from '../../examples/platform-service/typescript/cloud-events.js';
import {
  type KafkaServer,
  type Server,
  startKafka,
  startPostgres,
  startRedis,
} from '../../scripts/infra/index.js';
import { assertBuilt } from '../support/curtail-process.js';
import { createTestDatabase, serverUrl, type TestDatabase } from '../support/database.js';
import { TestKafka } from '../support/kafka.js';
import { query } from '../support/query.js';
import { SmallDisk } from '../support/small-disk.js';
import type { StartedProgram } from '../support/started-program.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type GuideCommand, runbookPages } from './guide-commands.js';
import { whyNotRun } from './not-run.js';
import { playPage, writes } from './play-page.js';
import { type Preparation, preparations } from './preparations.js';
import { Reader } from './reader.js';

const page = (name: string) => `docs/runbooks/${name}.md`;
const title = (name: string) => page(name);

/** A Curtail that something happens to, and the one who reads what to do. */
class Installation {
  private constructor(
    readonly reader: Reader,
    private readonly program: StartedProgram,
    readonly url: string,
    /** What the start has made, as the link of its page carries it. */
    private readonly token: string,
  ) {}

  static async start(folder: string, settings: Record<string, string>): Promise<Installation> {
    const reader = await Reader.in(folder);
    const program = await reader.start('npm start', settings);
    const url = /running at (http:\S+)/.exec(program.output)![1]!;
    reader.use(url);
    return new Installation(reader, program, url, /#token=(\S+)/.exec(program.output)![1]!);
  }

  /** What the API answers. */
  async read<T>(path: string): Promise<T> {
    const headers = { authorization: `Bearer ${this.token}` };
    return (await (await fetch(this.url + path, { headers })).json()) as T;
  }

  /** Follows a page; what is wrong with it. */
  follow(name: string, { words, ...preparation }: Preparation = {}): Promise<string[]> {
    const { acts = {} } = preparation;
    return playPage(this.reader, page(name), {
      preparation: {
        ...preparations[page(name)],
        ...preparation,
        words: { 'http://127.0.0.1:8080': this.url, ...words },
      },
      isTyped: (command: GuideCommand) =>
        command.place !== 'sentence' && (command.text in acts || whyNotRun(command) === undefined),
      start: () => Promise.resolve('no runbook starts Curtail'),
    });
  }

  async until(what: string, is: (status: StatusView) => boolean): Promise<void> {
    for (const end = performance.now() + 120_000; ; await delay(100)) {
      const status = await this.read<StatusView>('/v1/status');
      if (is(status)) return;
      if (performance.now() > end) throw new Error(`never seen: ${what}; ${JSON.stringify(status)}`);
    }
  }

  untilDown = (server: string) =>
    this.until(`${server} down`, ({ down = [] }) => down.some(({ name }) => name === server));
  /** No clock and no run, and no consumer behind. */
  untilQuiet = () =>
    this.until(
      'quiet',
      ({ partitions, consumers }) =>
        partitions.length > 0 &&
        partitions.every(({ due, running, waiting }) => due.count + running.count + waiting.count === 0) &&
        consumers.every(({ lag }) => lag === 0),
    );
  untilUp = () =>
    this.until(
      'all servers up',
      ({ down = [], consumers }) => down.length === 0 && consumers.every(({ lag }) => lag === 0),
    );

  async end(): Promise<void> {
    await this.program.end('SIGKILL', 'group');
  }
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let places = 0;
beforeAll(async () => {
  await assertBuilt();
  folder = await temporaryFolder();
});
afterAll(() => folder?.remove());

async function placeOfOne(): Promise<string> {
  const own = join(folder.path, `reader-${places++}`);
  await mkdir(own);
  return own;
}

/** The sample as it was at first, without its clocks. */
const sampleAgain = [
  'curtail simulate clear',
  'curtail simulate sample',
  'curtail apply -f examples/queues.yaml --yes',
];

describe('the runbooks of the simulated cluster', () => {
  let servers: { database: Server & { url: string }; kafka: KafkaServer; redis: Server & { url: string } };
  let installation: Installation;

  beforeAll(async () => {
    const [database, kafka, redis] = await Promise.all([startPostgres(), startKafka(), startRedis()]);
    servers = { database, kafka, redis };
    installation = await Installation.start(await placeOfOne(), {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: kafka.brokers.join(','),
      REDIS_URL: redis.url,
      CURTAIL_SAMPLE: 'yes',
    });
    const { reader } = installation;
    reader.remember('127.0.0.1:9092', kafka.brokers[0]!);
    reader.remember('127.0.0.1:6379', new URL(redis.url).host);
    reader.remember('127.0.0.1:5432', new URL(database.url).host);
  });
  afterAll(async () => {
    await installation?.end();
    await Promise.all(Object.values(servers ?? {}).map((server) => server.remove()));
  });

  async function begin(...before: string[]): Promise<void> {
    await installation.reader.open({ before: sampleAgain });
    await installation.untilQuiet();
    await installation.reader.open({ before });
  }

  /** The newest dead letter or run is the one of the page. */
  async function nameAs(onPage: string, path: string, id: 'event' | 'enforcement'): Promise<void> {
    const { items } = await installation.read<{ items: Record<string, string>[] }>(path);
    installation.reader.remember(onPage, items[0]![id]!);
  }

  it(title('restore'), async () => {
    await begin();
    expect(await installation.follow('restore')).toEqual([]);
  });

  it.each([
    ['kafka-down', 'kafka', 'kafka'],
    ['redis-down', 'redis', 'redis'],
    ['postgresql-down', 'database', 'postgres'],
  ] as const)('docs/runbooks/%s.md', async (name, server, service) => {
    await begin();
    await servers[server].kill();
    await installation.untilDown(server);
    const start = async () => {
      await servers[server].start();
      await installation.untilUp();
    };
    const acts = { [`docker compose up --detach --wait ${service}`]: start };
    const mayAnswer = [/^error: The database cannot be reached/m];
    expect(await installation.follow(name, { acts, mayAnswer })).toEqual([]);
  });

  it(title('dead-letters'), async () => {
    await begin();
    const kafka = new TestKafka('', { brokers: servers.kafka.brokers });
    const producer = kafka.connection.producer();
    await producer.connect();
    const data = {
      partition: 'default',
      submission: 17,
      format: 'yunikorn',
      configuration: 'partitions: []',
    };
    await producer.send({
      topic: 'curtail.config.submissions',
      messages: [cloudEvent('/quota-sync', 'io.curtail.config.submitted.v1', 'default', data)],
    });
    await producer.disconnect();
    await installation.until('a dead letter', ({ deadLetters }) => deadLetters === 1);
    await nameAs('0197f3c2-8d1e-7b1a-9a53-1c8d2f4b6e70', '/v1/dead-letters', 'event');
    expect(await installation.follow('dead-letters')).toEqual([]);
  });

  it(title('run-waits'), async () => {
    await begin(
      'curtail settings --set approveAboveVictims=5',
      'curtail apply -f examples/queues-lowered.yaml --yes',
      'curtail enforce root.research --now --yes',
    );
    await installation.until('a run that waits', ({ partitions }) =>
      partitions.some(({ waiting }) => waiting.count === 1),
    );
    await nameAs('e-yh38gev3p32p', '/v1/enforcements?state=waiting', 'enforcement');
    expect(await installation.follow('run-waits')).toEqual([]);
  });

  it(title('wrong-quota-applied'), async () => {
    await begin(
      'curtail settings --clear approveAboveVictims',
      'curtail apply -f examples/queues-lowered.yaml --yes',
    );
    expect(await installation.follow('wrong-quota-applied')).toEqual([]);
  });

  it(title('queue-stays-above'), async () => {
    await begin(
      `curtail settings root.research --set protect='{"users":["ada","alan","grace"]}' --reason "release week"`,
      'curtail apply -f examples/queues-lowered.yaml --yes',
      'curtail enforce root.research --now --yes',
    );
    await installation.until('a quota that is not met', ({ attention }) =>
      attention.some(({ code }) => code === 'quota-not-met'),
    );
    expect(await installation.follow('queue-stays-above')).toEqual([]);
  });
});

/** So many that their tables need new blocks. */
const manyQueues = () =>
  [
    'partitions:',
    '  - name: batch',
    '    queues:',
    '      - name: root',
    '        queues:',
    ...Array.from(
      { length: 3000 },
      (_, nr) => `          - { name: team-${nr}, resources: { max: { memory: ${nr + 1}G } } }`,
    ),
  ].join('\n');

const isPossible = SmallDisk.isPossible();
(isPossible ? describe : describe.skip)(
  isPossible
    ? 'the runbook of a full disk'
    : 'the runbook of a full disk (not run: only root may mount one on Linux)',
  () => {
    let disk: SmallDisk;
    let installation: Installation;
    beforeAll(async () => {
      disk = await SmallDisk.make(serverUrl());
      installation = await Installation.start(await placeOfOne(), {
        DATABASE_URL: disk.url,
        CURTAIL_SAMPLE: 'yes',
      });
    });
    afterAll(async () => {
      await installation?.end();
      await disk?.remove();
    });

    it(title('disk-full'), async () => {
      await installation.untilQuiet();
      await writeFile(join(installation.reader.folder, 'queues.yaml'), manyQueues());
      await disk.fill();
      const empty = async () => {
        await disk.empty();
        await installation.untilUp();
      };
      expect(
        await installation.follow('disk-full', {
          acts: { 'rm /var/lib/postgresql/core.4711': empty },
          mayAnswer: [/^error: The disk of the database is full/m],
        }),
      ).toEqual([]);
    });
  },
);

describe('the runbooks of a cluster that reports', () => {
  const prefix = `runbooks-${process.pid}.`;
  const source = '/agents/prod';
  let database: TestDatabase;
  let installation: Installation;
  let kafka: TestKafka;
  let producer: Producer;
  let sequence = 0;
  let confirming: NodeJS.Timeout;

  beforeAll(async () => {
    database = await createTestDatabase();
    installation = await Installation.start(await placeOfOne(), {
      DATABASE_URL: database.url,
      KAFKA_BROKERS: process.env.KAFKA_BROKERS!,
      CURTAIL_KAFKA_TOPIC_PREFIX: prefix,
      CURTAIL_CLUSTER: 'inventory',
      // The page shows the default.
      ...(!writes && { CURTAIL_INVENTORY_STALE_SECONDS: '5' }),
    });
    kafka = new TestKafka(prefix, { manage: false });
    producer = kafka.connection.producer();
    await producer.connect();
  });
  afterAll(async () => {
    clearInterval(confirming);
    await producer?.disconnect();
    await installation?.end();
    await database?.drop();
  });

  async function send(type: string, data: object, aheadMs = 0): Promise<void> {
    const message = cloudEvent(source, `io.curtail.${type}.v1`, 'default', { partition: 'default', ...data });
    const time = new Date(Date.now() + aheadMs).toISOString();
    await producer.send({
      topic: `${prefix}curtail.inventory`,
      messages: [{ ...message, headers: { ...message.headers, ce_time: time } }],
    });
  }
  const list = () =>
    send('inventory.listed', {
      ...{ sequence: ++sequence, page: 1, last: true },
      nodes: [{ id: 'node-1', capacity: { memory: 400_000_000_000, vcore: 100_000 } }],
      applications: [{ id: 'sweep', queue: 'root.research', user: 'ada' }],
      allocations: Array.from({ length: 20 }, (_, nr) => ({
        ...{ id: `sweep-${nr}`, uid: `uid-${nr}`, application: 'sweep', queue: 'root.research' },
        ...{
          resources: { memory: 8_000_000_000, vcore: 2000 },
          startedAt: new Date(Date.now() - 60_000 * (nr + 1)).toISOString(),
        },
      })),
    });
  const isKnown = (known: boolean) =>
    installation.until(`known: ${known}`, ({ partitions }) =>
      partitions.some(({ inventory }) => inventory?.known === known),
    );

  /** With a delay of a second in place of a minute, which the page does not show. */
  const applyWithoutWaiting = (file: string) =>
    installation.reader.open({
      before: [`sed 's/delay: 60/delay: 1/' ${file} | curtail apply -f - --yes`],
    });

  /** As an agent does from its start on: everything once, and then that nothing has changed. */
  async function report(): Promise<void> {
    await list();
    confirming = setInterval(() => void send('inventory.confirmed', {}), 1000);
    await isKnown(true);
  }

  it(title('agent-silent'), async () => {
    await applyWithoutWaiting('examples/queues.yaml');
    await report();
    await installation.untilQuiet();
    clearInterval(confirming);
    await isKnown(false);
    await applyWithoutWaiting('examples/queues-lowered.yaml');
    await installation.until('the clock to wait', ({ partitions }) =>
      partitions.some(({ due }) => due.first.some(({ waiting }) => waiting.code === 'cluster-unknown')),
    );
    expect(
      await installation.follow('agent-silent', {
        acts: { 'kubectl rollout restart deployment/curtail-agent': report },
      }),
    ).toEqual([]);
  });

  it(title('clock-wrong'), async () => {
    const skew = (is: boolean) => () =>
      installation.until(
        `clock-skew: ${is}`,
        ({ attention }) => attention.some(({ code }) => code === 'clock-skew') === is,
      );
    await send('inventory.confirmed', {}, 300_000);
    await skew(true)();
    const synchronize = async () => {
      // Curtail compares the messages of five to ten minutes: two such times are over at once.
      for (let times = 0; times < 2; times++) {
        await query(database.url, "UPDATE inventory_clocks SET since = since - interval '6 minutes'");
        await list();
        await isKnown(true);
      }
      await skew(false)();
    };
    expect(await installation.follow('clock-wrong', { acts: { 'chronyc makestep': synchronize } })).toEqual(
      [],
    );
  });
});

describe('every runbook', () => {
  it('has been followed, and has the same parts', () => {
    const parts = [
      'What you see',
      'What it means for evictions',
      'What to do',
      'When it is over',
      'How to prevent it',
    ];
    for (const one of runbookPages().filter((name) => !name.endsWith('README.md'))) {
      const headings = [...readFileSync(one, 'utf8').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect({ one, headings }).toEqual({ one, headings: parts });
    }
  });
});
