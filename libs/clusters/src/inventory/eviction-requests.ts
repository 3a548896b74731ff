import type { DataSource } from 'typeorm';
import { CurtailError, type EventData, InputError } from '#contracts';
import { append, Batcher, databaseTime, type Tx } from '#event-store';
import type { EvictionAnswer, EvictionGate, EvictionRequest, Withheld } from '../driver.js';
import { momentOf } from '../tables/moment.js';
import type { AnswerWakeUps } from './answer-wake-ups.js';
import { OPEN_UNTIL } from './eviction-table.js';
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

type Answer = EventData<'EvictionAnswered'>;
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

/** The allocation that a request is about. */
interface Target {
  uid: string;
  queue: string;
  application: string;
  state: string;
}

/** The recorded state of a kill: the number of its last attempt, and for how long that attempt is open; null if it is not. */
interface Known {
  attempt: number;
  openMs: number | null;
}

/** A request that is to be made. */
interface Opening {
  wanted: Wanted;
  target: Target;
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
 * as open for longer by the known lag of that clock (`platform-clocks.ts`).
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
    const [asked] = await this.db.query<{ answer: Answer['answer'] | null }[]>(
      "SELECT answer ->> 'answer' AS answer FROM inventory_evictions WHERE eviction_id = $1",
      [evictionId],
    );
    if (asked?.answer === null) return undefined;
    return asked?.answer === 'accepted';
  }

  /** Until when an unanswered request may still be carried out; undefined if there is none. */
  async openUntil(evictionId: string): Promise<Date | undefined> {
    const [open] = await this.db.query<{ openUntil: Date }[]>(
      `SELECT ${OPEN_UNTIL} AS "openUntil" FROM inventory_evictions
       WHERE eviction_id = $1 AND answer IS NULL AND ${OPEN_UNTIL} > ${momentOf('$2')}`,
      [evictionId, this.now()],
    );
    return open?.openUntil;
  }

  /** For an unanswered request that can no longer be carried out: a sentence that states this. */
  async unanswered(evictionId: string): Promise<string | undefined> {
    const [over] = await this.db.query<{ partition: string }[]>(
      `SELECT partition FROM inventory_evictions
       WHERE eviction_id = $1 AND answer IS NULL AND ${OPEN_UNTIL} <= ${momentOf('$2')}`,
      [evictionId, this.now()],
    );
    return over && this.silence(evictionId, over.partition);
  }

  private async silence(evictionId: string, partition: string): Promise<string> {
    const skews = await clockSkews(this.db, partition);
    const sentence = `the platform has not answered ${evictionId} within ${this.options.answerSeconds} s`;
    return [sentence, ...skews.map(({ message }) => message)].join('; ');
  }

  /** Answers each from recorded state, or writes a request to the log unless one is open; with as many statements as for one. */
  private async open(tx: Tx, all: Wanted[]): Promise<(EvictionAnswer | Asked)[]> {
    const targets = await this.targetsOf(tx, all);
    const known = await this.knownOf(tx, all);
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
  private async targetsOf(tx: Tx, all: Wanted[]): Promise<(Target | undefined)[]> {
    const rows = await tx.query<(Target & { partition: string; id: string })[]>(
      `SELECT partition, id, uid, queue, application, state FROM inventory_allocations
       WHERE (partition, id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND NOT gone
       ORDER BY partition, id FOR UPDATE`,
      [all.map(({ request }) => request.partition), all.map(({ request }) => request.allocation)],
    );
    const keyOf = (partition: string, id: string) => JSON.stringify([partition, id]);
    const found = new Map(rows.map((row) => [keyOf(row.partition, row.id), row]));
    return all.map(({ request }) => found.get(keyOf(request.partition, request.allocation)));
  }

  /** By eviction id. */
  private async knownOf(tx: Tx, all: Wanted[]): Promise<Map<string, Known>> {
    const rows = await tx.query<(Known & { evictionId: string })[]>(
      `SELECT eviction_id AS "evictionId", attempt,
              CASE WHEN answer IS NULL
                   THEN extract(epoch FROM ${OPEN_UNTIL} - ${momentOf('$2')})::float8 * 1000 END AS "openMs"
       FROM inventory_evictions WHERE eviction_id = ANY ($1)`,
      [all.map(({ request }) => request.evictionId), this.now()],
    );
    return new Map(rows.map((row) => [row.evictionId, row]));
  }

  private withoutAsking(
    { request }: Wanted,
    target: Target | undefined,
    known: Known | undefined,
  ): EvictionAnswer | Asked | undefined {
    const { partition, evictionId } = request;
    if (target === undefined) return { kind: 'gone' };
    if (request.uid !== undefined && request.uid !== target.uid)
      return { kind: 'other-incarnation', uid: target.uid };
    if (target.state !== 'running') return { kind: 'accepted', repeated: true };
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
    await tx.query(
      `INSERT INTO inventory_evictions (eviction_id, partition, allocation, uid, attempt, requested_at, deadline_at)
       SELECT eviction_id, partition, allocation, uid, attempt, $6, $7
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[])
         AS opened (eviction_id, partition, allocation, uid, attempt)
       ON CONFLICT (eviction_id) DO UPDATE SET
         allocation = excluded.allocation, uid = excluded.uid, attempt = excluded.attempt,
         requested_at = excluded.requested_at, deadline_at = excluded.deadline_at, answer = NULL`,
      [
        openings.map(({ wanted }) => wanted.request.evictionId),
        openings.map(({ wanted }) => wanted.request.partition),
        openings.map(({ wanted }) => wanted.request.allocation),
        openings.map(({ target }) => target.uid),
        openings.map(({ attempt }) => attempt),
        at.toISOString(),
        deadlineAt,
      ],
    );
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
    const rows = await this.db.query<{ evictionId: string; attempt: number; answer: Answer }[]>(
      `SELECT eviction_id AS "evictionId", attempt, answer FROM inventory_evictions
       WHERE eviction_id = ANY ($1) AND answer IS NOT NULL`,
      [asked.map(({ evictionId }) => evictionId)],
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
