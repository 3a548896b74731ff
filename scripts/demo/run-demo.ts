import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hanging } from '../../apps/curtail/src/cli/output/width.js';
import { Ending } from '../distributed/ending.js';
import { root } from '../infra/folders.js';
import { InfraError, ownFolder } from '../infra/index.js';

export type Progress = (line: string) => void;

/** Curtail beside a cluster, which it shows itself with. */
export interface Demo {
  /** As people call it. */
  cluster: string;
  /** Builds the programs of the cluster, if there are any. */
  build?: (progress: Progress) => Promise<void>;
  show: (stage: Stage) => Promise<void>;
}

const waitMs = 120_000;

/** What a demonstration starts and waits for; all of it ends with it. */
export class Stage {
  readonly folder = ownFolder();
  private readonly log = join(this.folder, 'curtail.log');
  private readonly closings: (() => Promise<unknown>)[] = [];
  private curtail: ChildProcess | undefined;
  private hasEnded = false;

  constructor(readonly progress: Progress) {}

  /** Stops what was started, after Curtail. */
  atEnd(stop: () => Promise<unknown>): void {
    this.closings.push(stop);
  }

  /** Starts Curtail in the mode `enforce`. @returns its address. */
  async startCurtail(options: string[], environment: Record<string, string> = {}): Promise<string> {
    // Ctrl-C may have come while the cluster was being filled.
    if (this.hasEnded) throw new InfraError('The demonstration has ended.', 'Start it again.');
    const file = await open(this.log, 'a', 0o600);
    const words = ['dist/apps/curtail/src/main.js', 'start', '--mode', 'enforce', ...options];
    const child = spawn(process.execPath, words, {
      cwd: root,
      // Ctrl-C reaches it through us.
      detached: true,
      stdio: ['ignore', file.fd, file.fd],
      env: {
        PATH: process.env.PATH,
        CURTAIL_DATA: join(this.folder, 'data'),
        // A cluster of its own, which ends with it.
        CURTAIL_AUTH: 'none',
        CURTAIL_PORT: '0',
        ...environment,
      },
    });
    this.curtail = child;
    await file.close();
    process.once('exit', () => child.kill('SIGKILL'));
    const url = await this.until('Curtail to run', async () => {
      return /Curtail is running at (http:\/\/\S+)/.exec(await readFile(this.log, 'utf8'))?.[1];
    });
    this.progress(`Curtail runs beside it, mode enforce: ${url}`);
    return url;
  }

  /** @throws InfraError with the last output of Curtail if that ends, or after two minutes. */
  async until<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
    for (const end = performance.now() + waitMs; performance.now() < end; await delay(200)) {
      const found = await read();
      if (found !== undefined && found !== false) return found;
      const { curtail } = this;
      if (curtail && (curtail.exitCode !== null || curtail.signalCode !== null))
        throw new InfraError('Curtail has ended.', 'Its last output:', await this.lastOutput());
    }
    throw new InfraError(
      `${what} took longer than ${waitMs / 1000} s.`,
      'Try it again on a machine that is less busy. The last output of Curtail:',
      await this.lastOutput(),
    );
  }

  async end(cluster: string): Promise<void> {
    this.hasEnded = true;
    const { curtail } = this;
    if (this.closings.length > 0)
      this.progress(`stopping Curtail and ${cluster}, and removing what they kept`);
    if (curtail && curtail.exitCode === null && curtail.signalCode === null) {
      curtail.kill('SIGTERM');
      await once(curtail, 'exit');
    }
    for (const stop of this.closings.toReversed()) await stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private lastOutput = async (): Promise<string> =>
    (await readFile(this.log, 'utf8').catch(() => '')).slice(-2000);
}

/** Resolves to the exit status, when everything it has started has ended. */
export async function runDemo({ cluster, build, show }: Demo, print: Progress): Promise<number> {
  const progress = (text: string) => {
    const columns = Math.min(process.stdout.columns || 80, 100) - 'demo: '.length;
    for (const line of hanging(text, columns, /^ */.exec(text)?.[0])) print(line);
  };
  const ending = new Ending();
  ending.listen();
  const stage = new Stage(progress);
  try {
    progress(`about a minute${build ? ', once the programs are built' : ''}; Ctrl-C ends it at any time`);
    await Promise.race([build?.(progress), ending.asked]);
    if (!ending.reason) await Promise.race([show(stage), ending.asked]);
    return ending.reason && 'signal' in ending.reason ? 128 + constants.signals[ending.reason.signal] : 0;
  } catch (error) {
    if (!(error instanceof InfraError)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    await stage.end(cluster);
  }
}

/** Since a moment of `performance.now()`. */
export const secondsSince = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(1)} s`;
