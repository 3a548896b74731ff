import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { pauseAfter } from '#contracts';
import { Wakeable } from '#waiting';
import type { Sequence } from './inventory-changes.js';
import {
  answerMessage,
  changeMessages,
  confirmation,
  listingMessages,
  ownerAnswer,
  submission,
} from './messages.js';
import type {
  AgentTransport,
  AnnouncedToAgent,
  AnswerOfOwner,
  AnswerResult,
  ConfigurationOutcome,
  ConfigurationSource,
  Evictor,
  Message,
  RecordedEviction,
  ReportSource,
  RequestToAgent,
  SourceConfiguration,
} from './port.js';

export interface AgentParts {
  partition: string;
  reports: ReportSource;
  /** Absent: another program submits configurations. */
  configuration?: ConfigurationSource;
  evictor: Evictor;
  transport: AgentTransport;
  sequence: Sequence;
  /** Milliseconds since 1970, by the clock of this machine. */
  now: () => number;
  /** Milliseconds of a monotonic clock; default: that of the process. */
  elapsed?: () => number;
  onTrouble: (what: string, error: Error) => void;
}

/** Changes within this time are sent together. */
const gatherMs = 20;
/** Less than the smallest CURTAIL_INVENTORY_STALE_SECONDS. */
const confirmEveryMs = 2000;
const listEveryMs = 600_000;
/** How long an answer of the cluster counts as current. */
const answerHoldsMs = 250;
const listenAgainMs = 200;
const retryMs = { first: 200, longest: 10_000 };
const evictionsAtOnce = 16;

/**
 * Runs beside one cluster, with its credentials: reports the work of the cluster, submits its quotas, carries out the evictions that
 * Curtail requests, and answers. It stores nothing: it begins with a whole listing, and sends another one whenever a message may be
 * lost.
 */
export class Agent {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> | undefined;
  private readonly waker = new Wakeable();
  private needsListing = true;
  private submitted: string | undefined;
  private lastSubmission: SourceConfiguration | undefined;
  private nextConfirmation = 0;
  /** The check in progress of whether the cluster answers. */
  private question: { answeredAt?: number } | undefined;
  private nextListing = 0;
  /** Answers of owners that are not sent yet. */
  private unsent: AnswerOfOwner[] = [];
  private readonly waiting: (() => Promise<void>)[] = [];
  private underWay = 0;

  private readonly elapsed: () => number;

  constructor(private readonly parts: AgentParts) {
    this.elapsed = parts.elapsed ?? (() => performance.now());
  }

  /** Resolves when the cluster is known, and the first listing is being sent. */
  async start(): Promise<void> {
    const { reports, configuration, transport } = this.parts;
    const stir = () => this.waker.wake();
    await Promise.all([reports.start(stir), configuration?.start(stir)]);
    await transport.start({
      evict: (request) => {
        const receivedAt = this.elapsed();
        this.queue(() => this.evict(request, receivedAt));
      },
      announce: (announcement) => this.queue(() => this.announce(announcement)),
      answered: (result) => this.queue(() => this.notifyOfAnswer(result)),
      recorded: (eviction) => this.queue(() => this.notifyOfRecorded(eviction)),
      configuration: (outcome) => this.queue(() => this.recordOutcome(outcome)),
    });
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    const { reports, configuration, transport } = this.parts;
    await Promise.all([transport.stop(), reports.stop(), configuration?.stop()]);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.report();
        failures = 0;
      } catch (error) {
        // Messages in flight may be lost: the next listing repeats everything.
        this.needsListing = true;
        this.parts.onTrouble('Could not send reports; retrying', error as Error);
        await this.pause(pauseAfter(++failures, retryMs));
        continue;
      }
      await this.waker.sleep(this.restMs(), signal);
      await this.pause(gatherMs);
    }
  }

  private async report(): Promise<void> {
    const { partition, reports, transport, sequence } = this.parts;
    const time = this.elapsed();
    // Queues first, because reports name them.
    await this.submit();
    if (!reports.isSynced) {
      this.question = undefined;
      return;
    }
    if (this.needsListing || time >= this.nextListing) {
      for (const page of listingMessages(partition, reports.listing(), sequence)) {
        await transport.send([page]);
        // A quota that is saved meanwhile does not wait for the remaining pages.
        await this.submit();
      }
      this.needsListing = false;
      this.nextListing = time + listEveryMs;
    } else {
      const messages = changeMessages(partition, reports.changes(), sequence);
      if (messages.length > 0) await transport.send(messages);
    }
    // After the reports, which name the allocations. Reports do not wait for them.
    this.sendAnswers().catch((error: Error) =>
      this.parts.onTrouble('Could not send answers of owners; retrying', error),
    );
    const { answeredAt } = this.question ?? {};
    if (answeredAt !== undefined) {
      this.question = undefined;
      // After a slow send the cluster may have changed since its answer, so it is asked again.
      if (this.elapsed() - answeredAt > answerHoldsMs) return this.ask();
      await transport.send([confirmation(partition, sequence.current)]);
    } else if (time >= this.nextConfirmation && this.question === undefined) {
      this.nextConfirmation = time + confirmEveryMs;
      this.ask();
    }
  }

  private async sendAnswers(): Promise<void> {
    const { partition, reports, transport } = this.parts;
    const answers = [...this.unsent, ...(reports.ownerAnswers?.() ?? [])];
    this.unsent = [];
    if (answers.length === 0) return;
    try {
      await transport.send(answers.map((answered) => ownerAnswer(partition, answered)));
    } catch (error) {
      // A repeated one counts once.
      this.unsent.unshift(...answers);
      throw error;
    }
  }

  /** Reports do not wait for the answer. Changes until then are sent before the confirmation. */
  private ask(): void {
    const question: { answeredAt?: number } = {};
    this.question = question;
    void this.isCurrent().then((is) => {
      if (is) question.answeredAt = this.elapsed();
      else if (this.question === question) this.question = undefined;
      this.waker.wake();
    });
  }

  /** A cluster that does not answer is not confirmed; earlier reports are kept. */
  private async isCurrent(): Promise<boolean> {
    try {
      return await this.parts.reports.isCurrent();
    } catch (error) {
      this.parts.onTrouble('The cluster does not answer', error as Error);
      return false;
    }
  }

  /** Changes that were held back are sent soon after the cluster is synced again. Its answer to a question wakes the agent. */
  private restMs(): number {
    if (!this.parts.reports.isSynced) return listenAgainMs;
    const isAsking = this.question !== undefined && this.question.answeredAt === undefined;
    return isAsking ? confirmEveryMs : Math.max(0, this.nextConfirmation - this.elapsed());
  }

  private async submit(): Promise<void> {
    const { partition, configuration, transport } = this.parts;
    const data = configuration?.configuration();
    if (data === undefined || data === this.lastSubmission) return;
    const id = data.submission ?? createHash('sha256').update(JSON.stringify(data)).digest('hex');
    if (id !== this.submitted) {
      await transport.send([submission({ ...data, partition, submission: id })]);
      this.submitted = id;
    }
    this.lastSubmission = data;
  }

  /** @param receivedAt by the monotonic clock. */
  private async evict(request: RequestToAgent, receivedAt: number): Promise<void> {
    const { partition, evictor, now } = this.parts;
    if (request.partition !== partition) return;
    const { deadlineAt, validSeconds = Number.POSITIVE_INFINITY } = request;
    // Both limits count: the deadline ends a request that arrived late, and the clock of this machine may be behind. Curtail repeats
    // a request that is still needed.
    const isValid = () => now() < Date.parse(deadlineAt) && this.elapsed() - receivedAt < validSeconds * 1000;
    if (!isValid()) return;
    const outcome = await evictor.evict(request, isValid);
    // The next request does not wait until the answer has arrived: answers that are sent meanwhile share their way.
    this.send([answerMessage(request, outcome)]).catch((error: Error) => this.failed(error));
  }

  private async announce(announcement: AnnouncedToAgent): Promise<void> {
    if (announcement.partition === this.parts.partition) await this.parts.evictor.announce(announcement);
  }

  private async notifyOfAnswer(result: AnswerResult): Promise<void> {
    if (result.data.partition === this.parts.partition) await this.parts.evictor.answered?.(result);
  }

  private async notifyOfRecorded(eviction: RecordedEviction): Promise<void> {
    if (eviction.data.partition === this.parts.partition) await this.parts.evictor.recorded?.(eviction);
  }

  private async recordOutcome(outcome: ConfigurationOutcome): Promise<void> {
    const { partition, configuration } = this.parts;
    if (outcome.data.partition === partition && outcome.data.submission === this.submitted) {
      await configuration?.recordOutcome(outcome);
    }
  }

  private send(messages: Message[]): Promise<void> {
    return this.parts.transport.send(messages);
  }

  /** Runs some at once, the others in their order. A failure is logged; Curtail repeats the request. */
  private queue(work: () => Promise<void>): void {
    this.waiting.push(work);
    this.next();
  }

  private next(): void {
    if (this.underWay >= evictionsAtOnce || this.stopping.signal.aborted) return;
    const work = this.waiting.shift();
    if (work === undefined) return;
    this.underWay++;
    work()
      .catch((error: Error) => this.failed(error))
      .finally(() => {
        this.underWay--;
        this.next();
      });
  }

  private failed(error: Error): void {
    this.parts.onTrouble('Could not carry out a request of Curtail', error);
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
