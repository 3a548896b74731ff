import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '../../../scripts/infra/server/ports.js';
import { type ServiceName, ServiceProcess } from '../../support/service-process.js';

/** How many processes of each service there are. */
export type Counts = Record<ServiceName, number>;

interface Member {
  app: ServiceName;
  url: string;
  process: ServiceProcess;
  /** Those that it was before. */
  ended: ServiceProcess[];
  /** This harness has ended it, and no one else. */
  endedByUs: boolean;
}

const askEveryMs = 20;
const answerWithinMs = 4000;

/** The services, each a process of its own with an address that it keeps however often it is started again. */
export class Fleet {
  /** Processes that ended although no one here ended them. */
  readonly surprises: string[] = [];
  private readonly members = new Map<string, Member>();
  private readonly added = new Map<ServiceName, number>();
  private stopping = false;

  private constructor(
    private readonly environment: Record<string, string>,
    private release: string | undefined,
  ) {}

  /**
   * Starts all and waits until they are ready.
   *
   * @param release the folder of a checkout that is built; absent: this one.
   */
  static async start(environment: Record<string, string>, counts: Counts, release?: string): Promise<Fleet> {
    const fleet = new Fleet(environment, release);
    try {
      for (const [app, count] of Object.entries(counts) as [ServiceName, number][]) {
        for (let number = 1; number <= count; number++) await fleet.add(app);
      }
      await fleet.ready();
      return fleet;
    } catch (error) {
      await fleet.remove();
      throw error;
    }
  }

  /** Of all processes, or of those of one service: `planner-2`. */
  names(app?: ServiceName): string[] {
    return [...this.members.keys()].filter((name) => !app || this.members.get(name)?.app === app);
  }

  url(name: string): string {
    return this.member(name).url;
  }

  /** Whatever is started from now on is of this checkout. */
  upgrade(): void {
    this.release = undefined;
  }

  /** Writes the output of each into a folder, for a later inspection of a finding. */
  async keepLogs(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const [name, { ended, process }] of this.members) {
      await writeFile(
        join(folder, `${name}.log`),
        [...ended, process].map(({ output }) => output).join('\n'),
      );
    }
  }

  /** One more process of a service; does not wait until it is ready. `more` goes before the settings of all. */
  async add(app: ServiceName, more: Record<string, string> = {}): Promise<string> {
    const number = (this.added.get(app) ?? 0) + 1;
    this.added.set(app, number);
    const name = `${app}-${number}`;
    const { port } = await freePorts(['port'] as const);
    const url = `http://127.0.0.1:${port}`;
    const environment = { CURTAIL_PORT: String(port), ...more };
    this.members.set(name, {
      app,
      url,
      process: this.spawn(name, app, environment),
      ended: [],
      endedByUs: false,
    });
    return name;
  }

  async kill(name: string): Promise<void> {
    const member = this.member(name);
    member.endedByUs = true;
    await member.process.kill();
  }

  /** SIGTERM. @returns the exit status. */
  async stop(name: string): Promise<number | null> {
    const member = this.member(name);
    member.endedByUs = true;
    return member.process.stop();
  }

  freeze(name: string): void {
    this.member(name).process.freeze();
  }

  thaw(name: string): void {
    this.member(name).process.thaw();
  }

  /** At the same address, as a supervisor would. Does not wait until it is ready. */
  startAgain(name: string, more: Record<string, string> = {}): void {
    const member = this.member(name);
    const { port } = new URL(member.url);
    member.endedByUs = false;
    member.ended.push(member.process);
    member.process = this.spawn(name, member.app, { CURTAIL_PORT: port, ...more });
  }

  /** Stops these and starts them with further settings, or with the usual ones alone; resolves when they are ready. */
  async restart(names: string[], more: Record<string, string> = {}): Promise<void> {
    await Promise.all(names.map((name) => this.stop(name)));
    for (const name of names) this.startAgain(name, more);
    await this.ready(names);
  }

  /** Takes one that has ended off the list. */
  forget(name: string): void {
    this.members.delete(name);
  }

  /**
   * Waits until these, or all, are ready.
   *
   * @returns by name, the milliseconds that it took from the call.
   * @throws if one is not within the time, with its last output.
   */
  async ready(names = this.names(), withinMs = 120_000): Promise<Map<string, number>> {
    const began = performance.now();
    const took = await Promise.all(
      names.map(async (name) => {
        while (!(await this.isReady(name))) {
          if (performance.now() - began > withinMs) {
            throw new Error(
              `${name} is not ready after ${withinMs} ms:\n${this.member(name).process.output.slice(-4000)}`,
            );
          }
          await delay(askEveryMs);
        }
        return [name, Math.round(performance.now() - began)] as const;
      }),
    );
    return new Map(took);
  }

  /** Waits until all of these say that they are not. */
  async unready(names: string[]): Promise<void> {
    await Promise.all(
      names.map(async (name) => {
        while (await this.isReady(name)) await delay(askEveryMs);
      }),
    );
  }

  /** Ends all. @throws if one does not end in order. */
  async end(): Promise<void> {
    this.stopping = true;
    const codes = await Promise.all(
      [...this.members].map(async ([name, { process }]) => [name, await process.stop()] as const),
    );
    const wrong = codes.filter(([, code]) => code !== 0);
    this.members.clear();
    if (wrong.length > 0) throw new Error(`ended out of order: ${JSON.stringify(wrong)}`);
  }

  async remove(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.members.values()].map(({ process }) => process.kill()));
    this.members.clear();
  }

  private member(name: string): Member {
    const member = this.members.get(name);
    if (!member) throw new Error(`there is no ${name}`);
    return member;
  }

  private spawn(name: string, app: ServiceName, own: Record<string, string>): ServiceProcess {
    const ingest = this.members.get('config-ingest-1');
    const database = new URL(this.environment.DATABASE_URL ?? '');
    // The server knows by it who it is that writes.
    database.searchParams.set('application_name', name);
    const environment = {
      ...this.environment,
      DATABASE_URL: database.href,
      ...(ingest ? { CURTAIL_CONFIG_INGEST: ingest.url } : {}),
      ...own,
    };
    const process = ServiceProcess.spawn(app, environment, this.release);
    void process.ended.then(({ code, signal }) => {
      const member = this.members.get(name);
      if (this.stopping || member?.process !== process || member.endedByUs) return;
      this.surprises.push(`${name} ended by itself (${signal ?? `exit code ${code}`})`);
    });
    return process;
  }

  private async isReady(name: string): Promise<boolean> {
    const { url, process } = this.member(name);
    if (process.hasEnded) return false;
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerWithinMs) }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.status === 200;
  }
}
