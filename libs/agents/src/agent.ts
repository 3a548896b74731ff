import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Wakeable } from '@curtail/waiting';
import { answer, changeMessages, confirmation, listingMessages, submission } from './messages.js';
import type {
  AgentTransport,
  ConfigurationOutcome,
  ConfigurationSource,
  EvictionAnnouncement,
  EvictionRequest,
  Evictor,
  Message,
  ReportSource,
} from './port.js';
import type { Sequence } from './sequence.js';

export interface AgentParts {
  partition: string;
  reports: ReportSource;
  /** Absent: configurations are submitted by somebody else. */
  configuration?: ConfigurationSource;
  evictor: Evictor;
  transport: AgentTransport;
  sequence: Sequence;
  /** Milliseconds since 1970, by the clock of this machine. */
  now: () => number;
  /** Milliseconds of a clock that only goes forward; default: that of the process. */
  elapsed?: () => number;
  onTrouble: (what: string, error: Error) => void;
}

/** Changes of so short a time go out together. */
const gatherMs = 20;
/** Below the shortest time after which silence counts (CURTAIL_INVENTORY_STALE_SECONDS). */
const confirmEveryMs = 2000;
const listEveryMs = 600_000;
/** An answer of the cluster is as good as new for so long. */
const answerHoldsMs = 250;
const listenAgainMs = 200;
const retryMs = { first: 200, longest: 10_000 };
const evictionsAtOnce = 16;

/**
 * Runs beside one cluster, with its credentials: reports what runs there, submits its quotas, carries out the evictions that Curtail asks
 * for, and answers. It remembers nothing: it begins with a whole listing, and sends one again whenever something may not have
 * arrived.
 */
export class Agent {
  private readonly stopping = new AbortController();
  private running: Promise<unknown> | undefined;
  private readonly waker = new Wakeable();
  private needsListing = true;
  private submitted: string | undefined;
  private nextConfirmation = 0;
  /** Whether the cluster answers. */
  private question: { answeredAt?: number } | undefined;
  private nextListing = 0;
  private readonly waiting: (() => Promise<void>)[] = [];
  private underWay = 0;

  private readonly elapsed: () => number;

  constructor(private readonly parts: AgentParts) {
    this.elapsed = parts.elapsed ?? (() => performance.now());
  }

  /** Resolves when the cluster is known, and the first listing is on its way. */
  async start(): Promise<void> {
    const { reports, configuration, transport } = this.parts;
    const stir = () => this.waker.wake();
    await Promise.all([reports.start(stir), configuration?.start(stir)]);
    await transport.start({
      evict: (request) => {
        const heardAt = this.elapsed();
        this.queue(() => this.evict(request, heardAt));
      },
      announce: (announcement) => this.queue(() => this.announce(announcement)),
      configuration: (outcome) => this.queue(() => this.hear(outcome)),
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
        // What was on its way may be lost: everything is said again.
        this.needsListing = true;
        this.parts.onTrouble('reports cannot be sent', error as Error);
        await this.pause(Math.min(retryMs.first * 2 ** failures++, retryMs.longest));
        continue;
      }
      await this.waker.sleep(this.restMs(), signal);
      await this.pause(gatherMs);
    }
  }

  private async report(): Promise<void> {
    const { partition, reports, transport, sequence } = this.parts;
    const time = this.elapsed();
    // The queues first: reports name them.
    await this.submit();
    if (!reports.isHeard) {
      this.question = undefined;
      return;
    }
    if (this.needsListing || time >= this.nextListing) {
      for (const page of listingMessages(partition, reports.listing(), sequence)) {
        await transport.send([page]);
        // A quota that is saved meanwhile does not wait for the rest.
        await this.submit();
      }
      this.needsListing = false;
      this.nextListing = time + listEveryMs;
    } else {
      const messages = changeMessages(partition, reports.changes(), sequence);
      if (messages.length > 0) await transport.send(messages);
    }
    const { answeredAt } = this.question ?? {};
    if (answeredAt !== undefined) {
      this.question = undefined;
      // After a slow send the answer may be older than what the cluster has done since: it is asked again.
      if (this.elapsed() - answeredAt > answerHoldsMs) return this.ask();
      await transport.send([confirmation(partition, sequence.current)]);
    } else if (time >= this.nextConfirmation && this.question === undefined) {
      this.nextConfirmation = time + confirmEveryMs;
      this.ask();
    }
  }

  /** Reports do not wait for the answer. What has changed until then goes out before the confirmation. */
  private ask(): void {
    const question: { answeredAt?: number } = {};
    this.question = question;
    void this.isCurrent().then((is) => {
      if (is) question.answeredAt = this.elapsed();
      else if (this.question === question) this.question = undefined;
      this.waker.wake();
    });
  }

  /** A cluster that does not answer is not confirmed; what was reported of it is not lost. */
  private async isCurrent(): Promise<boolean> {
    try {
      return await this.parts.reports.isCurrent();
    } catch (error) {
      this.parts.onTrouble('the cluster does not answer', error as Error);
      return false;
    }
  }

  /** What is held back goes out soon after the cluster is heard of again. */
  private restMs(): number {
    const { reports } = this.parts;
    return reports.isHeard ? Math.max(0, this.nextConfirmation - this.elapsed()) : listenAgainMs;
  }

  private async submit(): Promise<void> {
    const { partition, configuration, transport } = this.parts;
    const data = configuration?.configuration();
    if (data === undefined) return;
    const id = data.submission ?? createHash('sha256').update(JSON.stringify(data)).digest('hex');
    if (id === this.submitted) return;
    await transport.send([submission({ ...data, partition, submission: id })]);
    this.submitted = id;
  }

  /** @param heardAt by the clock that only goes forward. */
  private async evict(request: EvictionRequest, heardAt: number): Promise<void> {
    const { partition, evictor, now } = this.parts;
    if (request.partition !== partition) return;
    const { deadlineAt, validSeconds = Number.POSITIVE_INFINITY } = request;
    // By both: one that was heard late is over by the deadline, and the clock of this machine may be behind. It is asked again if it is
    // still wanted.
    if (now() >= Date.parse(deadlineAt) || this.elapsed() - heardAt >= validSeconds * 1000) return;
    const outcome = await evictor.evict(request);
    // The next request does not wait until the answer has arrived: answers that are sent meanwhile share their way.
    this.send([answer(request, outcome)]).catch((error: Error) => this.failed(error));
  }

  private async announce(announcement: EvictionAnnouncement): Promise<void> {
    if (announcement.partition === this.parts.partition) await this.parts.evictor.announce(announcement);
  }

  private async hear(outcome: ConfigurationOutcome): Promise<void> {
    const { partition, configuration } = this.parts;
    if (outcome.data.partition === partition && outcome.data.submission === this.submitted) {
      await configuration?.heard(outcome);
    }
  }

  private send(messages: Message[]): Promise<void> {
    return this.parts.transport.send(messages);
  }

  /** Some at once, the others in their order. What fails is told; Curtail asks again. */
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
    this.parts.onTrouble('what Curtail asked for could not be done', error);
  }

  private async pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
