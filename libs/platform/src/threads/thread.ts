import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { BrokenInvariant, CurtailError } from '#contracts';

/** A thread ended before it answered. */
class ThreadEnded extends CurtailError {
  readonly code = 'thread-ended';
}

/** Runs in a thread: a program that answers each message with one message. */
export interface ThreadProgram extends Pick<WorkerOptions, 'execArgv' | 'workerData'> {
  file: URL;
}

/**
 * The program of that name beside a module; absent if the sources themselves run, as in tests: there is no program that
 * a thread could load.
 *
 * @param module its `import.meta.url`.
 */
export function builtProgram(name: string, module: string): ThreadProgram | undefined {
  if (!module.endsWith('.js')) return undefined;
  const file = new URL(`./${name}.js`, module);
  // Nothing imports it, so the build has to know of it.
  if (!existsSync(file)) throw new BrokenInvariant(`there is no program ${name} beside ${module}`);
  return { file };
}

/**
 * Loaded before a program. Where the system has priorities of threads, this one gives way to all others of the process: one of them answers
 * stops and fires timers. Elsewhere it would be the priority of the whole process.
 */
const givesWay =
  process.platform === 'linux'
    ? [
        '--import',
        `data:text/javascript,${encodeURIComponent("import os from 'node:os'; os.setPriority(10);")}`,
      ]
    : [];

/** Not those of the process: a thread refuses options of V8, such as `--max-semi-space-size`, which hold for all threads. */
const options = ['--enable-source-maps', ...givesWay];

/** Starting a thread takes longer than most of its work, so an idle one is kept for some time. */
const keptMs = 30_000;

/**
 * A thread for work that would block the process. It starts with the first question, answers one at a time, and ends
 * when it was idle for a while, when its memory is used up, or when the caller no longer needs the answer.
 */
export class Thread<Question, Answer> {
  private thread: Worker | undefined;
  private unused: NodeJS.Timeout | undefined;

  /** @param limits of its memory. */
  constructor(
    readonly program: ThreadProgram,
    private readonly limits: WorkerOptions['resourceLimits'],
  ) {}

  /**
   * @param question a copy of it is sent to the thread.
   * @param signal ends the thread, and with it the work.
   * @throws the reason of `signal`; Error with the code `ERR_WORKER_OUT_OF_MEMORY`; the error that the program threw.
   */
  async ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    signal?.throwIfAborted();
    clearTimeout(this.unused);
    this.thread ??= this.start();
    const { thread } = this;
    thread.ref();
    try {
      const answered = once(thread, 'message', signal ? { signal } : {});
      thread.postMessage(question);
      const [answer] = await answered;
      return answer as Answer;
    } catch (error) {
      await this.end();
      signal?.throwIfAborted();
      throw error;
    } finally {
      // An idle thread must not keep the process running.
      thread.unref();
      this.unused = setTimeout(() => void this.end(), keptMs).unref();
    }
  }

  private start(): Worker {
    const { file, execArgv = [], ...program } = this.program;
    const thread = new Worker(file, {
      ...program,
      execArgv: [...options, ...execArgv],
      ...(this.limits && { resourceLimits: this.limits }),
    });
    // The caller that waits for an answer gets the error.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = undefined;
      thread.emit('error', new ThreadEnded('the thread has ended'));
    });
    return thread;
  }

  /** Ends the thread, since an idle one keeps its memory. The next question starts another. */
  async end(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.terminate();
  }
}
