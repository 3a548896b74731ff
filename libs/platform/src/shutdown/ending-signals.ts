/** The signals that end a process in order, with their numbers. */
export const endingSignals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
export type EndingSignal = keyof typeof endingSignals;

/** A terminal or a service manager, and npm after it: well above what npm needs to pass a signal on. */
const echoMs = 1000;

export interface EndingSignalsOptions {
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
