import type { Logger } from 'pino';

/** The order of ending: no part may lose a part that it still uses. */
export const shutdownPhases = ['http', 'workers', 'consumers', 'app', 'pools', 'postgres'] as const;
export type ShutdownPhase = (typeof shutdownPhases)[number];

interface Hook {
  phase: ShutdownPhase;
  name: string;
  end: () => Promise<void> | void;
}

export interface ShutdownOptions {
  log: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
  deadlineSeconds: number;
  /** The source of signals and the exit of the process; those of this process unless a test passes others. */
  signals?: NonNullable<EndingSignalsOptions['signals']>;
  /** Default: whether an npm script started this process. */
  underNpm?: boolean;
  exit?: (code: number) => void;
  /** Calls back once after this many milliseconds. */
  after?: (ms: number, run: () => void) => void;
}

/**
 * The orderly end of a process.
 *
 *     running --signal--> ending --all hooks done--> exit 0 (1 if one failed)
 *                           |----second signal-----> exit 128 + its number, at once
 *                           |----deadline----------> exit 1, and the log names the hook that hangs
 *                           '----error-------------> exit 1, at once
 *     running --unhandled error--> ending, with exit 1 at best
 *
 * Hooks run one after the other, phase by phase; within a phase the last registered first. A failing hook is
 * logged, and the others still run. A crash at any point is safe: pending work is in the database.
 */
export class Shutdown {
  private readonly hooks: Hook[] = [];
  private ending: Promise<number> | undefined;
  private current = '';
  private readonly exit: (code: number) => void;

  constructor(private readonly options: ShutdownOptions) {
    this.exit = options.exit ?? ((code) => process.exit(code));
  }

  register(phase: ShutdownPhase, name: string, end: Hook['end']): void {
    this.hooks.push({ phase, name, end });
  }

  /** From now on signals and unhandled errors end the process through this class. */
  listen(): void {
    const signals = this.options.signals ?? process;
    onEndingSignal((signal) => this.receive(signal), this.options);
    for (const fault of ['uncaughtException', 'unhandledRejection']) {
      signals.on(fault, (reason) => this.giveUp(reason));
    }
  }

  /** Ends everything and exits with `code`, or 1 if a hook failed. Later calls wait for the same end. */
  async run(code = 0): Promise<void> {
    if (this.ending) {
      await this.ending;
      return;
    }
    this.armDeadline();
    this.ending = this.endAll();
    const failures = await this.ending;
    this.options.log.info(failures === 0 ? 'Stopped.' : 'Stopped with errors.');
    this.exit(failures === 0 ? code : 1);
  }

  private receive(signal: EndingSignal): void {
    if (this.ending) {
      this.options.log.warn({ signal }, `${signal} again: exiting at once.`);
      this.exit(128 + endingSignals[signal]);
      return;
    }
    this.options.log.info({ signal }, `${signal}: shutting down; send it again to exit at once.`);
    void this.run();
  }

  /** The state after an unhandled error is unknown: everything that can be ended is ended, and a new process takes over. */
  private giveUp(reason: unknown): void {
    this.options.log.fatal({ err: reason }, 'Unhandled error; shutting down.');
    if (this.ending) this.exit(1);
    else void this.run(1);
  }

  private armDeadline(): void {
    const after = this.options.after ?? ((ms, run) => setTimeout(run, ms).unref());
    after(this.options.deadlineSeconds * 1000, () => {
      this.options.log.fatal(
        { waitingFor: this.current },
        `Shutdown timed out after ${this.options.deadlineSeconds} s (waiting for ${this.current}); exiting. ` +
          'Nothing is lost: work in progress continues at the next start.',
      );
      this.exit(1);
    });
  }

  private async endAll(): Promise<number> {
    let failures = 0;
    for (const { name, end } of this.inOrder()) {
      this.current = name;
      try {
        await end();
      } catch (error) {
        failures++;
        this.options.log.error({ resource: name, err: error }, `Could not end ${name}.`);
      }
    }
    return failures;
  }

  private inOrder(): Hook[] {
    return shutdownPhases.flatMap((phase) => this.hooks.filter((hook) => hook.phase === phase).reverse());
  }
}

/** The signals that end a process in order, with their numbers. */
export const endingSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type EndingSignal = keyof typeof endingSignals;

/** A terminal or a service manager, and npm after it: well above what npm needs to pass a signal on. */
const echoMs = 1000;

interface EndingSignalsOptions {
  signals?: { on(event: string, listener: (reason: unknown) => void): unknown };
  /** Whether an npm script started this process (`npm_lifecycle_event`). */
  underNpm?: boolean;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/**
 * Calls back for each request to end this process; `again` from the second on.
 *
 * Ctrl-C goes to all processes of a terminal, and a service manager may send SIGTERM to all of a service. npm passes both on to the
 * script that it runs, which so receives one request twice. Under npm, what follows within a second of the first signal is
 * therefore the same request.
 */
export function onEndingSignal(
  request: (signal: EndingSignal, again: boolean) => void,
  options: EndingSignalsOptions = {},
): void {
  const { signals = process, now = () => performance.now() } = options;
  const { underNpm = process.env.npm_lifecycle_event !== undefined } = options;
  let firstAt: number | undefined;
  for (const signal of Object.keys(endingSignals) as EndingSignal[]) {
    signals.on(signal, () => {
      const again = firstAt !== undefined;
      firstAt ??= now();
      if (again && underNpm && now() - firstAt < echoMs) return;
      request(signal, again);
    });
  }
}
