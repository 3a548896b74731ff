import { CurtailError, type EventData, InputError } from '@curtail/contracts';
import { append, databaseTime } from '@curtail/event-store';
import type { DataSource, EntityManager } from 'typeorm';
import type { EvictionAnswer, EvictionGate, EvictionRequest } from '../driver.js';
import { momentOf } from '../tables/moment.js';
import type { AnswerWakeUps } from './answer-wake-ups.js';
import { OPEN_UNTIL } from './open-requests.js';
import { clockSkews } from './platform-clocks.js';

export interface EvictionRequestOptions {
  /** How long the platform has to answer a request. */
  answerSeconds: number;
  /** For tests, in place of the clock of the database. */
  now?: () => Date;
}

/** The platform did not answer in time. Nothing is known of the kill: it is looked into, and asked for again. */
export class EvictionUnanswered extends CurtailError {
  readonly code = 'eviction-unanswered';
}

type Answer = EventData<'EvictionAnswered'>;
/** A request that is on its way. `joined`: somebody else sends it, or has sent it. */
interface Asked {
  evictionId: string;
  partition: string;
  attempt: number;
  /** In how many milliseconds it cannot be carried out any more. */
  openMs: number;
  joined: boolean;
}

/**
 * Asks the platform to evict, by events, and waits for what it says.
 *
 *     (nothing) --ask--> open --answer--> answered
 *                         |                  | refused, asked again
 *                         +--deadline-----> unanswered
 *
 * All times are those of the database. A platform whose clock is behind goes on past a deadline: for so much longer, as far as
 * that is known (`platform-clocks.ts`), a request that nobody has answered counts as open.
 *
 * The request is in the log when `ask` begins to wait, once for each attempt; it goes out as every event does, also when
 * this process dies. An attempt that nobody answers in time is over: the platform must not carry it out any more. One
 * eviction id is one kill: whoever asks for it while it is open waits for the same answer.
 */
export class EvictionRequests {
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
        `${request.graceSeconds} is not possible: give 0 or more seconds.`,
      );
    }
    const asked = await this.db.transaction((tx) => this.open(tx, request, gate));
    if ('kind' in asked) return asked;
    const until = performance.now() + asked.openMs;
    const answer = await this.wakeUps.untilAnswered(asked.evictionId, until, () => this.answerTo(asked));
    if (answer === undefined) {
      throw new EvictionUnanswered(await this.silence(asked.evictionId, asked.partition));
    }
    return answerOf(answer, asked.joined);
  }

  /** Whether the platform accepted the kill; undefined: it was asked and has said nothing. */
  async carriedOut(evictionId: string): Promise<boolean | undefined> {
    const [asked] = await this.db.query<{ answer: Answer['answer'] | null }[]>(
      "SELECT answer ->> 'answer' AS answer FROM inventory_evictions WHERE eviction_id = $1",
      [evictionId],
    );
    if (asked?.answer === null) return undefined;
    return asked?.answer === 'accepted';
  }

  /** Until when a request that nobody has answered may still be carried out; undefined if there is none. */
  async openUntil(evictionId: string): Promise<Date | undefined> {
    const [open] = await this.db.query<{ openUntil: Date }[]>(
      `SELECT ${OPEN_UNTIL} AS "openUntil" FROM inventory_evictions
       WHERE eviction_id = $1 AND answer IS NULL AND ${OPEN_UNTIL} > ${momentOf('$2')}`,
      [evictionId, this.now()],
    );
    return open?.openUntil;
  }

  /** Of a request that nobody has answered and that cannot be carried out any more: a sentence that says so. */
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

  /** Answers by what is known already, or puts a request into the log unless one is open. */
  private async open(
    tx: EntityManager,
    request: EvictionRequest,
    gate: EvictionGate,
  ): Promise<EvictionAnswer | Asked> {
    const { partition, evictionId } = request;
    const [standing] = await tx.query<{ uid: string; queue: string; application: string; state: string }[]>(
      `SELECT uid, queue, application, state FROM inventory_allocations
       WHERE partition = $1 AND id = $2 AND NOT gone FOR UPDATE`,
      [partition, request.allocation],
    );
    if (standing === undefined) return { kind: 'gone' };
    const { uid, queue, application, state } = standing;
    if (request.uid !== undefined && request.uid !== uid) return { kind: 'other-incarnation', uid };
    if (state !== 'running') return { kind: 'accepted', repeated: true };

    const [known] = await tx.query<{ attempt: number; openMs: number | null }[]>(
      `SELECT attempt, CASE WHEN answer IS NULL
                            THEN extract(epoch FROM ${OPEN_UNTIL} - ${momentOf('$2')})::float8 * 1000 END AS "openMs"
       FROM inventory_evictions WHERE eviction_id = $1`,
      [evictionId, this.now()],
    );
    if (known?.openMs && known.openMs > 0) {
      // It may be open for longer by what the platform's clock is behind: the run does not wait for that here.
      const openMs = Math.min(known.openMs, this.options.answerSeconds * 1000);
      return { evictionId, partition, attempt: known.attempt, openMs, joined: true };
    }
    const withheld = (await gate(tx, [request])).get(evictionId);
    if (withheld) return { kind: 'withheld', ...withheld };
    const attempt = (known?.attempt ?? 0) + 1;
    const { answerSeconds } = this.options;
    const at = this.now() ?? (await databaseTime(tx));
    const deadlineAt = new Date(at.getTime() + answerSeconds * 1000);
    await tx.query(
      `INSERT INTO inventory_evictions (eviction_id, partition, allocation, uid, attempt, requested_at, deadline_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (eviction_id) DO UPDATE SET
         allocation = excluded.allocation, uid = excluded.uid, attempt = excluded.attempt,
         requested_at = excluded.requested_at, deadline_at = excluded.deadline_at, answer = NULL`,
      [evictionId, partition, request.allocation, uid, attempt, at.toISOString(), deadlineAt.toISOString()],
    );
    const { allocation, graceSeconds, fencingToken, reason } = request;
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
      deadlineAt: deadlineAt.toISOString(),
      validSeconds: answerSeconds,
      reason,
    };
    await append(tx, [
      {
        stream: `eviction-${evictionId}`,
        partition,
        expectedVersion: attempt - 1,
        events: [{ event: { name: 'EvictionRequested', data }, at, key: queue }],
      },
    ]);
    return { evictionId, partition, attempt, openMs: answerSeconds * 1000, joined: false };
  }

  /** Null where the statement that is given it has to look at the clock of the database. */
  private now(): Date | null {
    return this.options.now?.() ?? null;
  }

  private async answerTo({ evictionId, attempt }: Asked): Promise<Answer | undefined> {
    const [row] = await this.db.query<{ answer: Answer | null }[]>(
      'SELECT answer FROM inventory_evictions WHERE eviction_id = $1 AND attempt = $2',
      [evictionId, attempt],
    );
    return row?.answer ?? undefined;
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
