import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Recorded } from './recorded.js';

const program = fileURLToPath(new URL('relay-main.mjs', import.meta.url));

/** A relay in a process of its own, to be frozen and killed. */
export class RelayProcess {
  /** Its output: `leads`, `follows`, `published 20`. */
  readonly lines = new Recorded<string>();
  private readonly child: ChildProcess;

  constructor(url: string, prefix: string) {
    const child = spawn(process.execPath, ['--no-warnings', program, url, prefix], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    createInterface({ input: child.stdout }).on('line', (line) => this.lines.add(line));
    this.child = child;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
