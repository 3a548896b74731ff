import { isObject } from '#contracts';
import type { AnnouncedToAgent, EvictionOutcome, Evictor, RequestToAgent } from '../port.js';
import { refused } from '../refused.js';
import { isOperationAlive } from './answers.js';
import { listJobs } from './look.js';
import { mutationId } from './mutation-id.js';
import { ChangeFailed, type YtApi } from './yt-api.js';
import { isNoSuchJob, isPassing, YtError, ytCodes } from './yt-error.js';

export interface JobEvictorOptions {
  /** `observe`: nothing is aborted, and every request is refused. */
  mode: () => 'observe' | 'enforce';
  /** The time to finish of a victim that was not told when it ends, in milliseconds. */
  preemptionTimeoutMs: () => number;
  /** The queue and the operation that the job counts in, as far as known. */
  queueOf: (job: string) => string | undefined;
  operationOf: (job: string) => string | undefined;
  /** The clock of this machine, by which announced evictions are due. */
  now: () => Date;
  /** Milliseconds of a monotonic clock. */
  elapsed: () => number;
  onTrouble: (what: string, error: Error) => void;
}

/** A job that was asked to end. */
interface Ending {
  evictionId: string;
  operation: string;
  /** When it is aborted if it still runs; undefined: it was aborted already. */
  abortAt: number | undefined;
}

/** The time to finish of a job whose eviction is announced. */
interface Announced {
  operation: string;
  /** Its end: as Curtail gave it, and by the monotonic clock. */
  killAt: string;
  endsAt: number;
  /** Whether a request was sent; its answer may have been lost. */
  wasSent: boolean;
  /** Whether the job was asked to finish, or takes no interrupt. */
  isTold: boolean;
}

/** After its time is over, YTsaurus aborts an interrupted job by itself. */
const marginMs = 5000;
const abortAnswerMs = 4000;
const laterRetryMs = 5000;
const jobId = /^[0-9a-f]{1,8}(-[0-9a-f]{1,8}){3}$/i;

/**
 * Ends jobs with `abort_job`: with `interrupt_timeout` at first, in which a job ends its row, and without when that time is over. An eviction
 * that is announced has its time before it is requested; another one, and one whose announcement never arrived, gets it with the request.
 */
export class JobEvictor implements Evictor {
  private readonly ending = new Map<string, Ending>();
  private readonly announced = new Map<string, Announced>();

  constructor(
    private readonly api: YtApi,
    private readonly options: JobEvictorOptions,
  ) {}

  /** Whether any job was asked to end, and still runs. */
  get hasEnding(): boolean {
    return this.ending.size > 0;
  }

  isEnding(job: string): boolean {
    return this.ending.has(job);
  }

  /**
   * Ends exactly the observed job; ids of jobs are never used again. Right before, its state is read.
   *
   * @throws YtError if it is not known whether the job was asked to end: the request is repeated, under the same mutation id.
   */
  async evict(request: RequestToAgent, isValid = () => true): Promise<EvictionOutcome> {
    const { allocation, uid, queue, application, attempt, evictionId, graceSeconds } = request;
    if (this.options.mode() === 'observe') {
      return refused(false, 'observe', 'the agent of this cluster only observes');
    }
    if (!jobId.test(allocation)) return refused(false, 'no-job', `${allocation} names no job of YTsaurus`);
    if (uid !== undefined && uid !== allocation) return { answer: 'other-incarnation', uid: allocation };
    const now = this.options.queueOf(allocation);
    if (now !== undefined && now !== queue.toLowerCase()) {
      return refused(true, 'moved', `${allocation} counts in ${now} by now, not in ${queue}`);
    }
    if (this.ending.has(allocation)) return { answer: 'accepted', repeated: true };
    const operation = this.options.operationOf(allocation) ?? application;
    // It may have been sent before, by an agent that was ended before the answer.
    const isRetry = attempt > 1;
    const isTold = this.announced.get(allocation)?.isTold === true;
    if (!(await this.runs(operation, allocation))) return done(isRetry || isTold);
    // Checked again: the same request may have arrived twice.
    if (this.ending.has(allocation)) return { answer: 'accepted', repeated: true };
    if (!isValid())
      throw new YtError('request-expired', `the request to evict ${allocation} is no longer valid`);
    const graceMs = graceSeconds > 0 ? Math.round(graceSeconds * 1000) : this.options.preemptionTimeoutMs();
    const job = { allocation, operation, evictionId };
    if (graceMs === 0 || (graceSeconds === 0 && isTold)) return this.abort(job, isRetry, isValid);
    this.ending.set(allocation, {
      evictionId,
      operation,
      abortAt: this.options.elapsed() + graceMs + marginMs,
    });
    const interrupted = await this.send(
      job,
      'interrupt',
      { interrupt_timeout: graceMs },
      { isRetry, isValid },
    );
    if (interrupted.kind === 'done') return { answer: 'accepted', ...(isRetry && { repeated: true }) };
    this.ending.delete(allocation);
    if (interrupted.kind === 'no-such-job') return done(interrupted.wasSentBefore);
    if (interrupted.error.code === 'forbidden') return refusedBy(interrupted.error);
    // Not every job takes an interrupt, and why one failed is not told: what became of the job decides.
    if (!(await this.runs(operation, allocation))) return done(true);
    if (!isValid()) throw interrupted.error;
    return this.abort(job, isRetry, isValid);
  }

  /** Interrupts the job for the time that is left until its eviction. */
  async announce({ allocation, uid, application, killAt }: AnnouncedToAgent): Promise<void> {
    if (this.options.mode() === 'observe' || !jobId.test(allocation) || uid !== allocation) return;
    const leftMs = Date.parse(killAt) - this.options.now().getTime();
    if (leftMs <= 0 || this.ending.has(allocation) || this.announced.get(allocation)?.killAt === killAt)
      return;
    const operation = this.options.operationOf(allocation) ?? application;
    const endsAt = this.options.elapsed() + leftMs;
    await this.tell(allocation, { operation, killAt, endsAt, wasSent: false, isTold: false });
  }

  /** A failure is reported: the job is asked again at the next look, as long as there is time left. */
  private async tell(allocation: string, one: Announced): Promise<void> {
    this.announced.set(allocation, one);
    const isValid = () => this.options.elapsed() < one.endsAt;
    try {
      if (!(await this.runs(one.operation, allocation)) || !isValid()) return;
      const isRetry = one.wasSent;
      one.wasSent = true;
      const sent = await this.send(
        { allocation, evictionId: `${allocation} ${one.killAt}` },
        'interrupt',
        { interrupt_timeout: Math.ceil(one.endsAt - this.options.elapsed()) },
        { isRetry, isValid },
      );
      // Not every job takes an interrupt, and why one failed is not told.
      if (sent.kind === 'failed' && sent.error.code === 'forbidden') throw sent.error;
      one.isTold = sent.kind !== 'no-such-job' || sent.wasSentBefore;
    } catch (error) {
      this.options.onTrouble('Could not ask a job to finish before its eviction', error as Error);
    }
  }

  /** Aborts the jobs whose time is over and that still run, and asks those to finish that could not be asked. @param isRunning by a fresh look. */
  async followUp(isRunning: (operation: string, job: string) => boolean): Promise<void> {
    for (const known of [this.ending, this.announced])
      for (const [job, { operation }] of known) if (!isRunning(operation, job)) known.delete(job);
    if (this.options.mode() === 'observe') return;
    for (const [allocation, one] of this.announced) {
      if (!one.isTold && this.options.elapsed() < one.endsAt) await this.tell(allocation, one);
    }
    for (const [allocation, one] of this.ending) {
      if (one.abortAt === undefined || this.options.elapsed() < one.abortAt) continue;
      this.ending.set(allocation, { ...one, abortAt: this.options.elapsed() + marginMs });
      try {
        if (!(await this.runs(one.operation, allocation))) continue;
        const sent = await this.send(
          { ...one, allocation },
          'abort',
          {},
          { isRetry: false, isValid: () => true },
        );
        if (sent.kind === 'failed') throw sent.error;
        this.ending.set(allocation, { ...one, abortAt: undefined });
      } catch (error) {
        this.options.onTrouble(
          'Could not abort a job whose time to finish is over; it is tried later',
          error as Error,
        );
      }
    }
  }

  private async abort(job: Job, isRetry: boolean, isValid: () => boolean): Promise<EvictionOutcome> {
    const { allocation, operation, evictionId } = job;
    this.ending.set(allocation, { evictionId, operation, abortAt: undefined });
    const aborted = await this.send(job, 'abort', {}, { isRetry, isValid });
    if (aborted.kind === 'done') return { answer: 'accepted', ...(isRetry && { repeated: true }) };
    this.ending.delete(allocation);
    return aborted.kind === 'no-such-job' ? done(aborted.wasSentBefore) : refusedBy(aborted.error);
  }

  /** @throws YtError if it is not known whether it was carried out. */
  private async send(
    { allocation, evictionId }: Pick<Job, 'allocation' | 'evictionId'>,
    step: 'interrupt' | 'abort',
    further: { interrupt_timeout?: number },
    { isRetry, isValid }: { isRetry: boolean; isValid: () => boolean },
  ): Promise<Sent> {
    try {
      await this.api.change(
        'abort_job',
        { job_id: allocation, ...further },
        { mutationId: mutationId(evictionId, step), isRetry, isValid, answerMs: abortAnswerMs },
      );
      return { kind: 'done' };
    } catch (error) {
      if (!(error instanceof ChangeFailed)) throw this.unknown(allocation, error);
      // Servers do not keep answers of abort_job: on a repetition, "no such job" means that the first one was carried out.
      if (isNoSuchJob(error)) return { kind: 'no-such-job', wasSentBefore: error.wasSentBefore };
      if (isPassing(error)) throw this.unknown(allocation, error);
      return { kind: 'failed', error };
    }
  }

  private unknown(job: string, error: unknown): unknown {
    this.ending.delete(job);
    return error;
  }

  /** Whether a job holds its resources now. @throws YtError if that is not known. */
  private async runs(operation: string, job: string): Promise<boolean> {
    try {
      const answer = await this.api.read('get_job', { operation_id: operation, job_id: job });
      const state = isObject(answer) ? (answer as { state?: unknown }).state : undefined;
      return state === undefined || isOperationAlive(state);
    } catch (error) {
      if (!(error instanceof YtError)) throw error;
      if (isNoSuchJob(error) || error.has(ytCodes.noSuchOperation)) return false;
      // A proxy of an older version, which has no such command.
      if (error.codes.size > 0 || error.status !== 404) throw error;
      return (await listJobs(this.api, operation)).jobs.some(({ id }) => id === job);
    }
  }
}

type Job = { allocation: string; operation: string; evictionId: string };

type Sent =
  | { kind: 'done' }
  | { kind: 'no-such-job'; wasSentBefore: boolean }
  /** Refused for a reason that does not pass. */
  | { kind: 'failed'; error: YtError };

/** A job that is not there: gone by itself, or, if it was asked to end before, as requested. */
const done = (wasSentBefore: boolean): EvictionOutcome =>
  wasSentBefore ? { answer: 'accepted', repeated: true } : { answer: 'gone' };

const refusedBy = (error: YtError): EvictionOutcome => {
  const isForbidden = error.code === 'forbidden' || error.code === 'not-authenticated';
  return refused(!isForbidden, isForbidden ? 'forbidden' : 'failed', error.message, laterRetryMs);
};
