import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { clearOrphan, isServerOf } from '../../libs/platform/src/postgres/orphan.js';
import { commandOf } from '../../libs/platform/src/postgres/processes.js';
import { temporaryFolder } from './temporary-folder.js';

/** How a process ended. */
export interface ProcessEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface CurtailOptions {
  /** Variables besides those that every such process gets. */
  environment?: Record<string, string>;
  /** Modules that node loads before the program: files from the top folder of the project. */
  preload?: string[];
  /** The servers behind the program; without them, it starts everything. */
  words?: string[];
  /** The path of another Node than the one that runs the tests. */
  node?: string;
}

const program = 'dist/apps/curtail/src/main.js';
/** Without a token: a test that is about tokens sets them. */
const quiet = {
  CURTAIL_AUTH: 'none',
  CURTAIL_PORT: '0',
  CURTAIL_SAMPLE: 'no',
  NO_COLOR: '1',
};

/**
 * Curtail as an operator starts it: the built program in a process of its own, with an embedded, durable database in a folder
 * that outlives it. In a process group of its own, so that a test can do to it what a terminal or a machine does.
 */
export class CurtailProcess {
  /** The address, once it listens; rejects with its whole output if it ends before. */
  readonly listening: Promise<string>;
  readonly ended: Promise<ProcessEnd>;
  private text = '';

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }) as ProcessEnd);
    this.listening = new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text: string) => {
          this.text += text;
          const url = /Curtail is running at (https?:\/\/\S+)/.exec(this.text)?.[1];
          if (url) resolve(url);
        });
      }
      void this.ended.then((end) =>
        reject(new Error(`Curtail ended with ${JSON.stringify(end)}, with the output:\n${this.text}`)),
      );
    });
    // Who kills it while it starts does not ask for the address.
    this.listening.catch(() => {});
  }

  /** Starts the process; does not wait until it listens. */
  static spawn(
    dataDir: string,
    { environment = {}, preload = [], words = [], node = process.execPath }: CurtailOptions = {},
  ): CurtailProcess {
    const imports = preload.flatMap((file) => ['--import', join(process.cwd(), file)]);
    const child = spawn(node, [...imports, program, ...words], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), ...quiet, CURTAIL_DATA: dataDir, ...environment },
    });
    return new CurtailProcess(child);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Everything it has written so far. */
  get output(): string {
    return this.text;
  }

  /** Its log, line by line, without the banner. */
  get log(): { level: string; msg: string }[] {
    return this.text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { level: string; msg: string });
  }

  /** kill -9 for the process and what belongs to its group; the database is not in it. */
  async kill(): Promise<ProcessEnd> {
    if (this.child.exitCode === null && this.child.signalCode === null) process.kill(-this.pid, 'SIGKILL');
    return this.ended;
  }

  /** As Ctrl-C does. */
  async interrupt(): Promise<ProcessEnd> {
    if (this.child.exitCode === null && this.child.signalCode === null) process.kill(-this.pid, 'SIGINT');
    return this.ended;
  }
}

/** A data folder of its own for one test, and the way into the database in it. */
export class CurtailFolder {
  private readonly processes: CurtailProcess[] = [];

  private constructor(
    readonly dataDir: string,
    private readonly removeFolder: () => Promise<void>,
  ) {}

  /** @throws if the program is not built, or from other sources than those that are here. */
  static async create(): Promise<CurtailFolder> {
    await assertBuilt();
    const { path, remove } = await temporaryFolder();
    return new CurtailFolder(join(path, 'data'), remove);
  }

  private get cluster(): string {
    return join(this.dataDir, 'cluster');
  }

  spawn(options?: CurtailOptions): CurtailProcess {
    const started = CurtailProcess.spawn(this.dataDir, options);
    this.processes.push(started);
    return started;
  }

  /** Starts Curtail and waits until it listens. */
  async start(options?: CurtailOptions): Promise<{ curtail: CurtailProcess; url: string }> {
    const curtail = this.spawn(options);
    return { curtail, url: await curtail.listening };
  }

  /** Of the database, whose port is another at each start of its server. Only while that runs. */
  async databaseUrl(): Promise<string> {
    const password = await readFile(join(this.dataDir, 'password'), 'utf8');
    const [, , , port] = await this.postmasterFile();
    return `postgresql://curtail:${password.trim()}@127.0.0.1:${port?.trim()}/curtail`;
  }

  /** The process of the database, if it runs: the file may name one that has gone, and whose number is another's by now. */
  async serverPid(): Promise<number | undefined> {
    const [first] = await this.postmasterFile().catch(() => []);
    const pid = Number(first);
    if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
    return isServerOf(await commandOf(pid), this.cluster) ? pid : undefined;
  }

  /** Ends whatever of it still runs, the database too, and removes the folder. */
  async remove(): Promise<void> {
    await Promise.all(this.processes.map((started) => started.kill()));
    await clearOrphan(this.cluster, () => {});
    await this.removeFolder();
  }

  private async postmasterFile(): Promise<string[]> {
    return (await readFile(join(this.cluster, 'postmaster.pid'), 'utf8')).split('\n');
  }
}

const notHandedOn = ['DATABASE_URL', 'KAFKA_BROKERS', 'REDIS_URL', 'NODE_OPTIONS'];

/** The environment of this process must not reach the one under test: neither its settings nor jest's options for node. */
export function ownVariables(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !name.startsWith('CURTAIL_') && !notHandedOn.includes(name),
    ),
  );
}

/** @throws if the program is not built, or from other sources than those that are here. */
export async function assertBuilt(): Promise<void> {
  const steps = join(process.cwd(), 'scripts/steps/build.mjs');
  const { isBuilt } = (await import(steps)) as { isBuilt(): Promise<boolean> };
  if (await isBuilt()) return;
  throw new Error(
    'dist is missing or older than the sources, and this test runs what is in it: npm run build',
  );
}
