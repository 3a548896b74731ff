import type { DataSource } from 'typeorm';
import { CurtailError, InputError } from '#contracts';
import { append, Batcher, databaseTime, type Tx } from '#event-store';
import type { EvictionAnswer, EvictionGate, EvictionRequest, Withheld } from '../driver.js';
import type { AnswerWakeUps } from './answer-wake-ups.js';
import {
  type Answer,
  answerKind,
  answersOf,
  type KnownRequest,
  knownRequests,
  type ListedAllocation,
  lockTargets,
  putRequests,
  unansweredRequest,
} from './eviction-table.js';
import { clockSkews } from './senders.js';

export interface EvictionRequestOptions {
  /** How long the platform has to answer a request. */
  answerSeconds: number;
  /** For tests, in place of the clock of the database. */
  now?: () => Date;
}

/** The platform did not answer in time. The outcome of the kill is unknown: the executor checks it, and requests the kill again. */
export class EvictionUnanswered extends CurtailError {
  readonly code = 'eviction-unanswered';
}

/** A request in transit. `joined`: another caller sends it, or has sent it. */
interface Asked {
  kind: 'asked';
  evictionId: string;
  partition: string;
  attempt: number;
  /** Milliseconds until it can no longer be carried out. */
  openMs: number;
  joined: boolean;
}

/** A requested eviction, with the gate to call in the transaction that writes the request to the log. */
interface Wanted {
  request: EvictionRequest;
  gate: EvictionGate;
}

/** A request that is to be made. */
interface Opening {
  wanted: Wanted;
  target: ListedAllocation;
  attempt: number;
}

/**
 * Requests evictions from the platform by events, and waits for the answers.
 *
 *     (nothing) --ask--> open --answer--> answered
 *                         |                  | refused, asked again
 *                         +--deadline-----> unanswered
 *
 * All times are those of the database. A platform whose clock is behind still acts after a deadline, so an unanswered request counts
 * as open for longer by the known lag of that clock (`senders.ts`).
 *
 * The request is in the log when `ask` begins to wait, once for each attempt; it goes out as every event does, even if this process
 * dies. An attempt that is not answered in time is over: the platform must no longer carry it out. One eviction id is one kill: all
 * callers that ask for it while it is open wait for the same answer.
 */
export class EvictionRequests {
  private readonly requests = new Batcher(
    (all: Wanted[]) => this.db.transaction((tx) => this.open(tx, all)),
    // If a request that was committed after all were repeated, it would find itself open, and report its answer as another caller's.
    { ifItFails: 'all-fail' },
  );
  private readonly answers = new Batcher((asked: Asked[]) => this.answersTo(asked));

  constructor(
    private readonly db: DataSource,
    private readonly wakeUps: AnswerWakeUps,
    private readonly options: EvictionRequestOptions,
  ) {}

  /** @throws EvictionUnanswered */
  async ask(request: EvictionRequest, gate: EvictionGate): Promise<EvictionAnswer> {
    if (!Number.isFinite(request.graceSeconds) || request.graceSeconds < 0) {
      throw new InputError(
        'graceSeconds',
        `A grace period of ${request.graceSeconds} s is not possible: give 0 s or more.`,
      );
    }
    const asked = await this.requests.ask({ request, gate });
    if (asked.kind !== 'asked') return asked;
    const until = performance.now() + asked.openMs;
    const answer = await this.wakeUps.untilAnswered(asked.evictionId, until, () => this.answers.ask(asked));
    if (answer === undefined) {
      throw new EvictionUnanswered(await this.silence(asked.evictionId, asked.partition));
    }
    return answerOf(answer, asked.joined);
  }

  /** Whether the platform accepted the kill; undefined: it was asked and has not answered. */
  async carriedOut(evictionId: string): Promise<boolean | undefined> {
    const asked = await answerKind(this.db, evictionId);
    if (asked?.answer === null) return undefined;
    return asked?.answer === 'accepted';
  }

  /** Until when an unanswered request may still be carried out; undefined if there is none. */
  async openUntil(evictionId: string): Promise<Date | undefined> {
    const asked = await unansweredRequest(this.db, evictionId, this.now());
    return asked?.isOpen ? asked.openUntil : undefined;
  }

  /** For an unanswered request that can no longer be carried out: a sentence that states this. */
  async unanswered(evictionId: string): Promise<string | undefined> {
    const asked = await unansweredRequest(this.db, evictionId, this.now());
    return asked && !asked.isOpen ? this.silence(evictionId, asked.partition) : undefined;
  }

  private async silence(evictionId: string, partition: string): Promise<string> {
    const skews = await clockSkews(this.db, partition);
    const sentence = `the platform has not answered ${evictionId} within ${this.options.answerSeconds} s`;
    return [sentence, ...skews.map(({ message }) => message)].join('; ');
  }

  /** Answers each from recorded state, or writes a request to the log unless one is open; with as many statements as for one. */
  private async open(tx: Tx, all: Wanted[]): Promise<(EvictionAnswer | Asked)[]> {
    const targets = await this.targetsOf(tx, all);
    const known = await knownRequests(
      tx,
      all.map(({ request }) => request.evictionId),
      this.now(),
    );
    const settled = all.map((wanted, i) =>
      this.withoutAsking(wanted, targets[i], known.get(wanted.request.evictionId)),
    );
    const openings = new Map<string, Opening>();
    for (const [i, wanted] of all.entries()) {
      const { evictionId } = wanted.request;
      if (settled[i] || openings.has(evictionId)) continue;
      openings.set(evictionId, {
        wanted,
        target: targets[i]!,
        attempt: (known.get(evictionId)?.attempt ?? 0) + 1,
      });
    }
    const withheld = await this.withheldOf(tx, [...openings.values()]);
    for (const evictionId of withheld.keys()) openings.delete(evictionId);
    await this.put(tx, [...openings.values()]);
    return all.map((one, i): EvictionAnswer | Asked => {
      const { evictionId, partition } = one.request;
      const why = withheld.get(evictionId);
      if (settled[i]) return settled[i];
      if (why) return { kind: 'withheld', ...why };
      const { attempt, wanted } = openings.get(evictionId)!;
      const openMs = this.options.answerSeconds * 1000;
      return { kind: 'asked', evictionId, partition, attempt, openMs, joined: wanted !== one };
    });
  }

  /** In the order of the requests; undefined where there is no allocation. The rows are locked until the requests are committed. */
  private async targetsOf(tx: Tx, all: Wanted[]): Promise<(ListedAllocation | undefined)[]> {
    const rows = await lockTargets(
      tx,
      all.map(({ request }) => request),
    );
    const keyOf = (partition: string, id: string) => JSON.stringify([partition, id]);
    const found = new Map(rows.map((row) => [keyOf(row.partition, row.id), row]));
    return all.map(({ request }) => found.get(keyOf(request.partition, request.allocation)));
  }

  private withoutAsking(
    { request }: Wanted,
    target: ListedAllocation | undefined,
    known: KnownRequest | undefined,
  ): EvictionAnswer | Asked | undefined {
    const { partition, evictionId } = request;
    if (target === undefined) return { kind: 'gone' };
    if (request.uid !== undefined && request.uid !== target.uid)
      return { kind: 'other-incarnation', uid: target.uid };
    // Requested before, it may be leaving for another reason: then the platform says whether it has carried the request out.
    const mayBeOther = known !== undefined && target.evictionId !== evictionId;
    if (target.state !== 'running' && !mayBeOther) return { kind: 'accepted', repeated: true };
    if (!known?.openMs || known.openMs <= 0) return undefined;
    // The lag of the platform's clock may keep it open for longer: the run does not wait for that here.
    const openMs = Math.min(known.openMs, this.options.answerSeconds * 1000);
    return { kind: 'asked', evictionId, partition, attempt: known.attempt, openMs, joined: true };
  }

  /** The requests that the gates withhold, by eviction id. */
  private async withheldOf(tx: Tx, openings: Opening[]): Promise<Map<string, Withheld>> {
    const withheld = new Map<string, Withheld>();
    for (const gate of new Set(openings.map(({ wanted }) => wanted.gate))) {
      const behind = openings.filter(({ wanted }) => wanted.gate === gate);
      const requests = behind.map(({ wanted }) => wanted.request);
      for (const [evictionId, why] of await gate(tx, requests)) withheld.set(evictionId, why);
    }
    return withheld;
  }

  private async put(tx: Tx, openings: Opening[]): Promise<void> {
    if (openings.length === 0) return;
    const { answerSeconds } = this.options;
    const at = this.now() ?? (await databaseTime(tx));
    const deadlineAt = new Date(at.getTime() + answerSeconds * 1000).toISOString();
    const opened = openings.map(({ wanted: { request }, target, attempt }) => ({
      request,
      uid: target.uid,
      attempt,
    }));
    await putRequests(tx, opened, { at: at.toISOString(), deadlineAt });
    await append(
      tx,
      openings.map(({ wanted: { request }, target: { uid, queue, application }, attempt }) => {
        const { partition, allocation, evictionId, graceSeconds, fencingToken, reason, basis } = request;
        const data = {
          partition,
          queue,
          application,
          allocation,
          uid,
          evictionId,
          attempt,
          fencingToken,
          graceSeconds,
          deadlineAt,
          validSeconds: answerSeconds,
          reason,
          ...basis,
        };
        return {
          stream: `eviction-${evictionId}`,
          partition,
          expectedVersion: attempt - 1,
          events: [{ event: { name: 'EvictionRequested' as const, data }, at, key: queue }],
        };
      }),
    );
  }

  /** Null: the statement uses the clock of the database. */
  private now(): Date | null {
    return this.options.now?.() ?? null;
  }

  private async answersTo(asked: Asked[]): Promise<(Answer | undefined)[]> {
    const rows = await answersOf(
      this.db,
      asked.map(({ evictionId }) => evictionId),
    );
    const found = new Map(rows.map((row) => [row.evictionId, row]));
    return asked.map(({ evictionId, attempt }) => {
      const row = found.get(evictionId);
      return row?.attempt === attempt ? row.answer : undefined;
    });
  }
}

function answerOf(answer: Answer, joined: boolean): EvictionAnswer {
  switch (answer.answer) {
    case 'accepted':
      return { kind: 'accepted', repeated: joined || (answer.repeated ?? false) };
    case 'gone':
      return { kind: 'gone' };
    case 'other-incarnation':
      return { kind: 'other-incarnation', uid: answer.uid };
    case 'refused': {
      const { retryable, code, message, retryAfterMs } = answer;
      return {
        kind: 'refused',
        retryable,
        code,
        message,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      };
    }
  }
}
