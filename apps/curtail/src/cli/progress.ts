import type { Invocation } from './invocation.js';

/** A progress bar on standard error, on a terminal only. */
export interface Progress {
  update(done: number): void;
  stop(): void;
}

const none: Progress = { update: () => {}, stop: () => {} };

export async function startProgress(
  invocation: Invocation,
  unit: string,
  total: number | undefined,
): Promise<Progress> {
  const { stderr } = invocation.terminal;
  if (invocation.quiet || !stderr.isTTY || !total) return none;
  const { default: cliProgress } = await import('cli-progress');
  const bar = new cliProgress.SingleBar({
    format: `{bar} {percentage}% of ${unit}, {eta_formatted} left`,
    stream: stderr as NodeJS.WritableStream,
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  });
  bar.start(total, 0);
  return { update: (done) => bar.update(Math.min(done, total)), stop: () => bar.stop() };
}

/** Shows how far something is that tells it itself; `unit` in the plural. */
export async function showProgress<T>(
  invocation: Invocation,
  unit: string,
  work: (report: (done: number, of: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  let bar: Progress | undefined;
  try {
    return await work(async (done, of) => {
      bar ??= of > 0 ? await startProgress(invocation, `${of} ${unit}`, of) : undefined;
      bar?.update(done);
    });
  } finally {
    bar?.stop();
  }
}
