import type { Invocation } from '../invocation/invocation.js';
import { durationText } from './amounts.js';

/** A progress bar on standard error, on terminals only. */
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
    format: `{bar} {percentage}% of ${unit}{left}`,
    stream: stderr as NodeJS.WritableStream,
    clearOnComplete: true,
    hideCursor: true,
    fps: 5,
  });
  const startedAt = Date.now();
  bar.start(total, 0, { left: '' });
  return {
    update: (done) => bar.update(Math.min(done, total), { left: leftText(done, total, startedAt) }),
    stop: () => bar.stop(),
  };
}

/** Remaining time at the pace so far; empty before there is a pace, and at the end. */
function leftText(done: number, total: number, startedAt: number): string {
  if (done <= 0 || done >= total) return '';
  const seconds = ((Date.now() - startedAt) / 1000) * (total / done - 1);
  return `, ${durationText(Math.max(1, Math.round(seconds)))} left`;
}

/** Shows the progress that a task reports; `unit` in the plural. */
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
