import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ownVariables } from './curtail-process.js';
import { Recorded } from './recorded.js';

/** The apps that share a PostgreSQL. */
export const serviceApps = ['config-ingest', 'timer', 'planner', 'executor', 'console'] as const;
export type ServiceName = (typeof serviceApps)[number];
/** The apps that have a program of their own. */
type ProgramName = ServiceName | 'agent';

/** One service in a process of its own, as `node dist/apps/timer/src/main.js` starts it, on servers that it shares. */
export class ServiceProcess<A extends ProgramName = ServiceName> {
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Its log, line by line. */
  readonly lines = new Recorded<string>();
  private partial = '';

  private constructor(
    readonly app: A,
    private readonly child: ChildProcess,
  ) {
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        const lines = (this.partial + text).split('\n');
        this.partial = lines.pop() ?? '';
        for (const line of lines) this.lines.add(line);
      });
    }
  }

  /**
   * Starts the process; does not wait until it listens.
   *
   * @param release the folder of a checkout that is built; default: this one.
   */
  static spawn<A extends ProgramName>(
    app: A,
    environment: Record<string, string>,
    release = '',
  ): ServiceProcess<A> {
    const child = spawn(process.execPath, [join(release, `dist/apps/${app}/src/main.js`)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), CURTAIL_PORT: '0', ...environment },
    });
    return new ServiceProcess(app, child);
  }

  /** Starts it and waits until it runs. @throws with its whole output if it ends before. */
  static async start<A extends ProgramName>(
    app: A,
    environment: Record<string, string>,
  ): Promise<RunningService<A>> {
    const service = ServiceProcess.spawn(app, environment);
    return Object.assign(service, { url: await service.logged(/it answers at (http:\/\/[^"\s]+)\./) });
  }

  /** Where it listens, from its first moment. */
  listening(): Promise<string> {
    return this.logged(/listens at (http:\/\/[^",\s]+)/);
  }

  /** The match of a pattern, once it is logged. @throws with its whole output if it ends before. */
  async logged(pattern: RegExp): Promise<string> {
    const matching = this.lines.until((line) => pattern.test(line));
    const lines = await Promise.race([matching, this.ended]);
    if (Array.isArray(lines)) {
      const [all, caught] = pattern.exec(lines.at(-1)!)!;
      return caught ?? all;
    }
    throw new Error(`${this.app} ended with ${JSON.stringify(lines)}, with the output:\n${this.output}`);
  }

  get output(): string {
    return this.lines.all.join('\n');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** An orderly end. @returns the exit status. */
  async stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return (await this.ended).code;
  }

  /** SIGSTOP: it keeps its connections and reports nothing, until `thaw`. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** kill -9 */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

export type RunningService<A extends ProgramName = ServiceName> = ServiceProcess<A> & { url: string };
