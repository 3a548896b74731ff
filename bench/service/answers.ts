import { setTimeout as delay } from 'node:timers/promises';
import { seconds } from '../measure.js';
import { coreMilliseconds, startProgram } from '../processes.js';
import { count, type Row, ratio, report } from '../report.js';
import { withFolder } from '../temporary-folder.js';
import { type Application, startApplication } from './application.js';
import { fillLargeQueue, largeConfiguration, largeQueue, submit } from './load.js';

const rounds = 3;
const allocations = 100_000;
const victims = 40_000;
const listedQueues = 10_000;
const delayMs = 1000;
const mostMs = 600_000;

/** A command of the command line, or a bare program that reads the same and prints it. */
interface Asked {
  what: string;
  words: string[];
  bare: string;
  targetMs?: number;
}

/**
 * The questions that people ask of a large cluster, each from the call of the command to its end: on a terminal, and printed whole. Beside each a bare
 * client in a process of its own, which reads the same rows from the database and prints them.
 */
export async function benchAnswers(): Promise<void> {
  await withFolder(async (folder) => {
    const application = await startApplication(folder, { CURTAIL_MODE: 'observe' });
    try {
      const enforcement = await planLargeRun(application);
      await submitQueues(application);
      const rows: Row[] = [];
      for (const asked of questions(application, enforcement)) rows.push(await measured(application, asked));
      report(`Answers, ${count(victims)} victims and ${count(listedQueues)} queues, best of ${rounds}`, rows);
    } finally {
      await application.stop();
    }
  });
}

/** A run that would take the victims: the partition is only observed, so all stay. */
async function planLargeRun(application: Application): Promise<string> {
  await fillLargeQueue(application, { allocations, queues: 1000 });
  await submit(application, largeConfiguration(allocations, delayMs));
  await submit(application, largeConfiguration(allocations - victims, delayMs));
  const began = performance.now();
  for (; performance.now() - began < mostMs; await delay(100)) {
    const response = await fetch(`${application.url}/v1/enforcements?queue=${largeQueue}`);
    const { items } = (await response.json()) as {
      items: { enforcement: string; victims: number; state: string }[];
    };
    const run = items.find((item) => item.victims === victims && item.state === 'ended');
    if (run) return run.enforcement;
  }
  throw new Error(`no run of ${count(victims)} victims within ${seconds(mostMs)}`);
}

/** The queues of a list that is long, in a partition of their own. */
function submitQueues(application: Application): Promise<number> {
  const queues = Array.from({ length: listedQueues - 101 }, (_, i) => ({
    parent: `group-${i % 100}`,
    name: `team-${i}`,
    resources: { max: { memory: `${10 + (i % 90)}G`, vcore: String(4 + (i % 40)) } },
  }));
  const groups = Array.from({ length: 100 }, (_, i) => ({
    name: `group-${i}`,
    queues: queues.filter(({ parent }) => parent === `group-${i}`).map(({ parent: _, ...queue }) => queue),
  }));
  const root = { name: 'root', queues: groups };
  return submit(application, { partitions: [{ name: 'many', queues: [root] }] }, 'many');
}

function questions({ url }: Application, enforcement: string): Asked[] {
  const explain = ['explain', 'enforcement', enforcement, '--server', url];
  const queues = ['get', 'queues', '--partition', 'many', '--limit', String(listedQueues), '--server', url];
  const readVictims = `SELECT * FROM read_victims WHERE enforcement = '${enforcement}' ORDER BY rank`;
  const readQueues = `SELECT * FROM queues WHERE partition = 'many' ORDER BY path`;
  return [
    {
      what: 'explain, on a terminal',
      words: [...explain, '-o', 'table'],
      bare: `${readVictims} LIMIT 50`,
      targetMs: 2000,
    },
    {
      what: 'explain --all, as a table',
      words: [...explain, '--all', '-o', 'table'],
      bare: readVictims,
      targetMs: 5000,
    },
    {
      what: 'explain --all, as JSON',
      words: [...explain, '--all', '-o', 'json'],
      bare: readVictims,
      targetMs: 5000,
    },
    { what: 'get queues, as a table', words: [...queues, '-o', 'table'], bare: readQueues, targetMs: 1000 },
    { what: 'get queues, as JSON', words: [...queues, '-o', 'json'], bare: readQueues, targetMs: 1000 },
  ];
}

async function measured(application: Application, { what, words, bare, targetMs }: Asked): Promise<Row> {
  const ours: Times[] = [];
  const theirs: Times[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await timesOf([...asTerminal, 'bin/curtail.mjs', ...words]));
    theirs.push(await timesOf(['--input-type=module', '-e', bareClient(application.databaseUrl, bare)]));
  }
  const [own, other] = [ours, theirs].map((times) => times.sort((a, b) => a.wall - b.wall)[0]!);
  return {
    what,
    measured: `${seconds(own!.wall)}, ${seconds(own!.cpu)} CPU`,
    beside: `${seconds(other!.wall)}, ${seconds(other!.cpu)} CPU`,
    ratio: ratio(own!.wall, other!.wall),
    ...(targetMs === undefined ? {} : { target: `<= ${seconds(targetMs)}`, met: own!.wall <= targetMs }),
  };
}

/** In milliseconds. */
interface Times {
  wall: number;
  /** Of the command and of the application, without its database. */
  cpu: number;
}

async function timesOf(words: string[]): Promise<Times> {
  // The application is a child of this process, too.
  const cpuBefore = (await coreMilliseconds(process.pid)) ?? 0;
  const began = performance.now();
  // A configuration of the person who measures would be read, too.
  await startProgram(words, { CURTAIL_CONFIG: '/nonexistent' }).ended;
  const wall = performance.now() - began;
  return { wall, cpu: ((await coreMilliseconds(process.pid)) ?? 0) - cpuBefore };
}

/** Has a program take its output for a terminal. */
const asTerminal = ['--import', 'data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=80'];

const bareClient = (databaseUrl: string, statement: string) => `
  import pg from 'pg';
  const client = new pg.Client(${JSON.stringify(databaseUrl)});
  await client.connect();
  const { rows } = await client.query(${JSON.stringify(statement)});
  process.stdout.write(rows.map((row) => Object.values(row).map((value) => JSON.stringify(value)).join('  ')).join('\\n'));
  await client.end();`;
