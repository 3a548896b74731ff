import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isGoneWithin } from '../../libs/platform/src/postgres/processes.js';
import { childrenOf } from '../../scripts/infra/server/children.js';
import { ownVariables, type ProcessEnd } from './curtail-process.js';

const goneWithinMs = 60_000;

/** A program that runs until it is ended, as a user starts it from a shell, in a process group of its own. */
export class StartedProgram {
  readonly ended: Promise<ProcessEnd>;
  private text = '';
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly line: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
        this.wake();
      });
    }
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }) as ProcessEnd);
    void this.ended.then(() => this.wake());
  }

  /** @param line for a shell, which it replaces: one simple command. */
  static spawn(
    line: string,
    { cwd, environment = {} }: { cwd?: string; environment?: Record<string, string | undefined> } = {},
  ): StartedProgram {
    const child = spawn('sh', ['-c', `exec ${line}`], {
      ...(cwd !== undefined && { cwd }),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), ...environment },
    });
    return new StartedProgram(child, line);
  }

  /** Everything it has written so far. */
  get output(): string {
    return this.text;
  }

  /** Waits until its output matches; the match. @throws with its whole output if it ends before. */
  async written(what: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = what.exec(this.text);
      if (match) return match;
      if (this.hasEnded) throw new Error(`${this.line} ended before it wrote ${what}:\n${this.text}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** The pids of all that it has started and that runs now. */
  descendants(): Promise<number[]> {
    return descendantsOf(this.child.pid!);
  }

  /** Those of the processes that are still there after some time. */
  async leftOf(pids: number[]): Promise<number[]> {
    const gone = await Promise.all(pids.map((pid) => isGoneWithin(pid, goneWithinMs)));
    return pids.filter((_, at) => !gone[at]);
  }

  /** Sends a signal to the process that was started, or to all of its group; how it ended, and what is left of what it had started. */
  async end(
    signal: NodeJS.Signals = 'SIGTERM',
    to: 'process' | 'group' = 'process',
  ): Promise<ProcessEnd & { left: number[] }> {
    const pid = this.child.pid!;
    const running = await this.descendants();
    if (!this.hasEnded) process.kill(to === 'group' ? -pid : pid, signal);
    return { ...(await this.ended), left: await this.leftOf(running) };
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

async function descendantsOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()];
}
