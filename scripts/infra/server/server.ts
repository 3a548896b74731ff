import { mkdir, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  birthOf,
  isAlive,
  isGoneWithin,
  signalQuietly,
} from '../../../libs/platform/src/postgres/processes.js';
import { InfraError } from '../infra-error.js';
import { childrenOf } from './children.js';
import { type Launched, tailOf } from './launch.js';
import { holdOnLeash } from './leash.js';
import { isFree } from './ports.js';
import { readState, runningProcess, writeState } from './state.js';

const readyPollMs = 20;
const portsBackWithinMs = 3000;
const readyWithinMs = 120_000;
const stopWithinMs = 10_000;

/** One kind of server. */
export interface ServerKind {
  /** As people write it: Kafka. */
  name: string;
  /** Holds all that the server keeps; made if need be. */
  folder: string;
  log: string;
  /** Every port it listens on, on 127.0.0.1. */
  ports: Record<string, number>;
  /** Ends it in order, without waiting for clients. */
  stopSignal: 'SIGTERM' | 'SIGINT';
  /** Ends it at once when its owner has died. */
  leashSignal: 'KILL' | 'QUIT';
  /** Prepares the folder and starts the program. */
  launch(): Promise<Launched>;
  /** Whether that process, and not another on its port, answers as a client needs it. Never rejects. */
  isReady(pid: number): Promise<boolean>;
}

/**
 * One real server: a process that may be stopped, killed, frozen, and started again on the same ports and data.
 *
 * `state.json` in its folder names the process. Written right after the launch, by it a later process finds a server whose
 * owner has died before it was ready. Not for two processes at once on the same folder: `npm run infra` has a lock for that.
 */
export class Server {
  private leash: { release(): void } | undefined;
  private current: number | undefined;

  /** @param leashed whether it ends with this process, as it should unless it is to serve others after us. */
  constructor(
    protected readonly kind: ServerKind,
    private readonly leashed: boolean,
  ) {}

  get name(): string {
    return this.kind.name;
  }

  get folder(): string {
    return this.kind.folder;
  }

  get log(): string {
    return this.kind.log;
  }

  get ports(): Readonly<Record<string, number>> {
    return this.kind.ports;
  }

  /** The process, if it runs; the first of them, if it is several. Known after `start`, `find` or `waitReady`. */
  get pid(): number | undefined {
    return this.current !== undefined && isAlive(this.current) ? this.current : undefined;
  }

  /** Takes up the process that an earlier owner of the folder has started, if it runs; states whether. */
  async find(): Promise<boolean> {
    this.current ??= await runningProcess(await readState(this.folder));
    return this.pid !== undefined;
  }

  /** All of its processes. */
  async pids(): Promise<number[]> {
    const { pid } = this;
    return pid === undefined ? [] : [pid, ...(await childrenOf(pid))];
  }

  /**
   * Starts it and waits until it is ready; where it runs already, only the latter. @throws InfraError with the end of its log.
   */
  async start(): Promise<void> {
    if (!(await this.find())) await this.launch();
    try {
      await this.waitReady();
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  private async launch(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o711 });
    for (const port of Object.values(this.kind.ports)) await this.awaitFree(port);
    const { pid, ended } = await this.kind.launch();
    this.current = pid;
    const leash = this.leashed ? holdOnLeash(pid, this.kind.leashSignal) : undefined;
    this.leash = leash;
    void ended.then(() => {
      leash?.release();
      if (this.current === pid) this.current = undefined;
    });
    const state = { process: { pid, birth: await birthOf(pid) }, ports: this.kind.ports };
    await writeState(this.folder, state);
  }

  /** The kernel may take a moment to give back the ports of a process that was killed. @throws InfraError when another process has it. */
  private async awaitFree(port: number): Promise<void> {
    for (const until = Date.now() + portsBackWithinMs; !(await isFree(port)); await delay(readyPollMs)) {
      if (Date.now() > until) throw this.portTaken(port);
    }
  }

  /** Waits until a client would be served. @throws InfraError when it ends or takes longer. */
  async waitReady(withinMs = readyWithinMs): Promise<void> {
    for (const until = Date.now() + withinMs; Date.now() < until; await delay(readyPollMs)) {
      const pid = this.pid;
      if (pid === undefined) throw await this.failure('has ended before it was ready');
      if ((await this.kind.isReady(pid)) && this.pid === pid) return;
    }
    throw await this.failure(`is not ready after ${withinMs / 1000} s`);
  }

  /** Whether it runs and answers at this moment. */
  async answers(): Promise<boolean> {
    const { pid } = this;
    return pid !== undefined && (await this.kind.isReady(pid));
  }

  /**
   * Asks it to end, by default in order, and waits until it is gone; after 10 s, or the given time, it is killed. Does nothing where it does not run.
   * A frozen one is thawed, for it could not react.
   */
  async stop(signal: NodeJS.Signals = this.kind.stopSignal, withinMs = stopWithinMs): Promise<void> {
    await this.find();
    const { pid } = this;
    if (pid !== undefined) {
      // Taken down before: children of one that is gone cannot be found, and would stay frozen.
      const all = await this.pids();
      signalQuietly(pid, signal);
      for (const each of all.reverse()) signalQuietly(each, 'SIGCONT');
      if (!(await isGoneWithin(pid, withinMs))) {
        signalQuietly(pid, 'SIGKILL');
        await isGoneWithin(pid, stopWithinMs);
      }
    }
    await this.forget();
  }

  /** kill -9, and waits until it is gone. */
  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }

  /** SIGSTOP: it keeps its connections and takes new ones, and answers none, until `thaw`. */
  async freeze(): Promise<void> {
    // The first of them first, so that it makes no more while the others are frozen.
    if (this.pid !== undefined) signalQuietly(this.pid, 'SIGSTOP');
    for (const pid of await this.pids()) signalQuietly(pid, 'SIGSTOP');
  }

  async thaw(): Promise<void> {
    for (const pid of (await this.pids()).reverse()) signalQuietly(pid, 'SIGCONT');
  }

  /** Kills it and removes all that it keeps. */
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async forget(): Promise<void> {
    this.leash?.release();
    this.leash = undefined;
    this.current = undefined;
    if (await readState(this.folder)) await writeState(this.folder, { ports: this.kind.ports });
  }

  private portTaken(port: number): InfraError {
    return new InfraError(
      `${this.name} cannot listen on 127.0.0.1:${port}: the port is taken.`,
      'Stop what uses it, or begin again with other ports: `npm run infra -- down --clean`.',
    );
  }

  private async failure(what: string): Promise<InfraError> {
    return new InfraError(`${this.name} ${what}.`, `Its full log is in ${this.log}.`, await tailOf(this.log));
  }
}
