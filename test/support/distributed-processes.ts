import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownVariables, type ProcessEnd } from './curtail-process.js';

/** All processes of `npm run start:distributed`, as an operator starts them: through npm, whose end must be theirs. */
export class DistributedProcesses {
  readonly ended: Promise<ProcessEnd>;
  private text = '';
  private waiting: (() => void)[] = [];

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
        this.check();
      });
    }
    this.ended = once(child, 'close').then(([code, signal]) => ({ code, signal }) as ProcessEnd);
    void this.ended.then(() => this.check());
  }

  /** Starts it, on a free port; resolves once everything is ready. @throws with its whole output if it ends before. */
  static async start(
    data: string,
    words: string[],
    environment: Record<string, string> = {},
  ): Promise<DistributedProcesses> {
    const { CURTAIL_INFRA_CACHE } = process.env;
    const options = ['--data', data, '--port', '0', ...words];
    const child = spawn('npm', ['run', 'start:distributed', '--', ...options], {
      // A group of its own, for the Ctrl-C of a terminal goes to a group.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), ...(CURTAIL_INFRA_CACHE && { CURTAIL_INFRA_CACHE }), ...environment },
    });
    const started = new DistributedProcesses(child);
    await started.logged(/Ctrl-C stops all of it/);
    return started;
  }

  get output(): string {
    return this.text;
  }

  /** Where all requests go. */
  get url(): string {
    return /running at (http:\/\/127\.0\.0\.1:\d+)/.exec(this.text)?.[1] ?? '';
  }

  /** Of servers and services by name, as they were when all were ready. */
  get pids(): ReadonlyMap<string, number> {
    const rows = this.text.matchAll(/^ {2}(\S+) +(\d+) {2}\S+:\d+$/gm);
    return new Map([...rows].map(([, name, pid]) => [name as string, Number(pid)]));
  }

  /** Waits until its output matches. @throws with its whole output if it ends before. */
  async logged(what: RegExp): Promise<void> {
    while (!what.test(this.text)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`ended before it wrote ${what}:\n${this.text}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  /** As Ctrl-C does. */
  async interrupt(): Promise<ProcessEnd> {
    return this.signal('SIGINT', 'group');
  }

  /** As a service manager does to the one process that it knows: npm. */
  async terminate(): Promise<ProcessEnd> {
    return this.signal('SIGTERM', 'npm');
  }

  /** kill -9 of npm and of what watches over the others, and of nothing else. */
  async kill(): Promise<ProcessEnd> {
    return this.signal('SIGKILL', 'group');
  }

  private signal(signal: NodeJS.Signals, to: 'npm' | 'group'): Promise<ProcessEnd> {
    const { pid, exitCode, signalCode } = this.child;
    if (pid !== undefined && exitCode === null && signalCode === null)
      process.kill(to === 'npm' ? pid : -pid, signal);
    return this.ended;
  }

  private check(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
