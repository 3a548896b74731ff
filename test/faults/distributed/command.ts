import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import { Command, InvalidArgumentError } from 'commander';
import { prepare } from '../../../scripts/infra/index.js';
import { type Control, proves, withoutInbox, withoutOrder, withoutTurns } from './controls.js';
import { type Outcome, play, type Scenario } from './play.js';
import { reportOf, reportOfControl, summed } from './report.js';
import { scenarioNamed, scenarios } from './scenarios/index.js';
import { Stage, type StageOptions } from './stage.js';

interface Options {
  rounds: number;
  seed: number;
  perSecond: number;
  batch?: number;
  only?: Scenario[];
  keepLogs: boolean;
  controls: boolean;
  onlyControls: boolean;
}

/** `npm run test:faults`. @returns the exit status. */
export async function faultsCommand(words: string[]): Promise<number> {
  const command = new Command('npm run test:faults --')
    .description(
      'Plays faults on the distributed system under load, on real Kafka, Redis and PostgreSQL, and audits what it did. docs/development.md, "Faults"',
    )
    .option('--rounds <number>', 'how often each scenario is played', wholeNumber, 1)
    .option(
      '--seed <number>',
      'of the first round; the next has the next',
      wholeNumber,
      Math.floor(Math.random() * 1e6),
    )
    .option('--per-second <number>', 'quotas lowered in a second', wholeNumber, 6)
    .option('--batch <number>', 'events that every consumer handles in a transaction at most', wholeNumber)
    .option('--only <names>', 'scenarios, with commas', (names) => names.split(',').map(named))
    .option('--only-controls', 'plays nothing but what shows that the audit can fail', false)
    .option('--no-controls', 'leaves out what shows that the audit can fail')
    .option('--keep-logs', 'keeps the logs of the services also where nothing is wrong', false)
    .option('--list', 'names the scenarios and ends');
  command.exitOverride();
  try {
    command.parse(words, { from: 'user' });
  } catch (error) {
    return (error as { exitCode?: number }).exitCode ?? 1;
  }
  const options = command.opts<Options & { list?: boolean }>();
  if (options.list) {
    for (const { name, title } of scenarios) console.log(`${name.padEnd(28)}${title}`);
    return 0;
  }
  await prepare((line) => console.error(`curtail: ${line}`));
  const outcomes = options.onlyControls ? [] : await playAll(options);
  const controls = options.controls ? await playControls(options) : [];
  console.log(['', summed(outcomes, loadavg()[0]!.toFixed(1)), ...controls.map(reportOfControl)].join('\n'));
  return outcomes.every(({ findings }) => findings.length === 0) && controls.every(proves) ? 0 : 1;
}

/** The base of scenarios. */
const grounds = [
  { brokers: 1, cluster: 'simulated', starting: 'the servers and services' },
  { brokers: 1, cluster: 'inventory', starting: 'the servers and services, and a platform that reports' },
  { brokers: 3, cluster: 'simulated', starting: 'three brokers, the other servers and services' },
] as const;

/** Scenarios with the same ground share a stage; each round has a new one. */
async function playAll({
  rounds,
  seed,
  perSecond,
  batch,
  only = [...scenarios],
  keepLogs,
}: Options): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const watcher = new Watcher(rounds * only.length);
  for (let round = 0; round < rounds; round++) {
    for (const { starting, ...ground } of grounds) {
      const chosen = only.filter(
        ({ brokers = 1, cluster = 'simulated' }) => brokers === ground.brokers && cluster === ground.cluster,
      );
      if (chosen.length === 0) continue;
      watcher.progress(`round ${round + 1}`, `starting ${starting}`);
      const stage = await Stage.open({ ...ground, environment: batch === undefined ? {} : batchesOf(batch) });
      try {
        for (const scenario of chosen) {
          const progress = (doing: string) => watcher.progress(scenario.name, doing);
          const outcome = await play(scenario, stage, { seed: seed + round, perSecond, progress });
          outcomes.push(outcome);
          if (keepLogs || outcome.findings.length > 0) {
            const logs = join(tmpdir(), `curtail-faults-${process.pid}`, `${scenario.name}-${seed + round}`);
            await stage.fleet.keepLogs(logs);
            outcome.logs = logs;
          }
          watcher.report(reportOf(outcome));
        }
        await stage.end();
      } finally {
        await stage.remove();
      }
    }
  }
  watcher.stop();
  return outcomes;
}

const batchesOf = (batch: number) => ({
  NODE_OPTIONS: `--import=${join(process.cwd(), 'test/support/batch-size.mjs')}`,
  CURTAIL_TEST_BATCH: String(batch),
});

async function playControls({ seed }: Options): Promise<Control[]> {
  const watcher = new Watcher(3);
  const progress = (doing: string) => watcher.progress('control', doing);
  try {
    return [
      ...(await onStage({}, async (stage) => [
        await withoutTurns({ stage, seed, progress }),
        await withoutInbox({ stage, seed, progress }),
      ])),
      ...(await onStage({ cluster: 'inventory' }, async (stage) => [
        await withoutOrder({ stage, seed, progress }),
      ])),
    ];
  } finally {
    watcher.stop();
  }
}

async function onStage<T>(options: StageOptions, work: (stage: Stage) => Promise<T>): Promise<T> {
  const stage = await Stage.open(options);
  try {
    return await work(stage);
  } finally {
    await stage.remove();
  }
}

/** On a terminal a bar that states what is being done; else a line for each scenario, when it is over. */
class Watcher {
  private readonly bar: SingleBar | undefined;
  private done = 0;

  constructor(total: number) {
    if (!process.stderr.isTTY) return;
    this.bar = new SingleBar({
      format: '{bar} {value} of {total}  {scenario}: {doing}',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    });
    this.bar.start(total, 0, { scenario: '', doing: '' });
  }

  progress(scenario: string, doing: string): void {
    this.bar?.update(this.done, { scenario, doing });
  }

  report(text: string): void {
    this.done += 1;
    // The bar is drawn again below.
    if (this.bar) process.stderr.write('\r\u001b[K');
    console.log(text);
    this.bar?.update(this.done);
  }

  stop(): void {
    this.bar?.stop();
  }
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('give a whole number above 0.');
}

function named(name: string): Scenario {
  try {
    return scenarioNamed(name);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
