import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeRedis } from '@curtail/timers';
import { freePort } from '../../libs/platform/src/postgres/free-port.js';

/** A Redis that one suite has to itself, to do to it what a bad day does. */
export class OwnRedis {
  private process: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** A folder and a port; nothing runs yet. */
  static async prepare(): Promise<OwnRedis> {
    return new OwnRedis(await mkdtemp(join(tmpdir(), 'curtail-redis-')), await freePort());
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** @param settings words behind those that a doorbell wants, which they replace: `['--hz', '10']`. */
  async start(settings: string[] = []): Promise<void> {
    const server = process.env.CURTAIL_REDIS_SERVER ?? 'redis-server';
    const usual = ['--bind', '127.0.0.1', '--dir', this.folder, '--save', '', '--hz', '100'];
    this.process = spawn(server, ['--port', String(this.port), ...usual, ...settings], { stdio: 'ignore' });
    await once(this.process, 'spawn');
    for (;;) {
      const up = await probeRedis({ url: this.url }).then(
        () => true,
        () => false,
      );
      if (up) return;
      if (this.process.exitCode !== null) throw new Error(`Redis ended with ${this.process.exitCode}`);
    }
  }

  /** SIGSTOP freezes it, SIGCONT has it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process?.kill(signal);
  }

  async kill(): Promise<void> {
    if (!this.process || this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
