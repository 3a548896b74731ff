import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ownVariables } from './curtail-process.js';

/** One service in a process of its own, as `node dist/apps/timer/src/main.js` starts it, on a database that it shares. */
export class ServiceProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** Waits until it answers. @throws with all that it has said if it ends before. */
  static async start(app: string, environment: Record<string, string>): Promise<ServiceProcess> {
    const child = spawn(process.execPath, [`dist/apps/${app}/src/main.js`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...ownVariables(), CURTAIL_PORT: '0', CURTAIL_LOG_FORMAT: 'json', ...environment },
    });
    let said = '';
    return new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          said += text;
          const url = /it answers at (http:\/\/127\.0\.0\.1:\d+)/.exec(said)?.[1];
          if (url) resolve(new ServiceProcess(child, url));
        });
      }
      child.once('close', (code) => reject(new Error(`${app} ended with ${code}, having said:\n${said}`)));
    });
  }

  /** An orderly end. @returns the exit status. */
  async stop(): Promise<number | null> {
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    return ((await ended) as [number | null])[0];
  }
}
