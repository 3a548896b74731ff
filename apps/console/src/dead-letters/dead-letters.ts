import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { type DomainEvent, InputError } from '#contracts';
import type {
  DeadLetterDetail,
  DeadLetterView,
  Letter,
  LettersDone,
  ListPage,
  NextStep,
} from '#contracts/api';
import { eventName } from '#contracts/events';
import { DATA, eventById, type Tx, unpackData } from '#event-store';
import { askForRetries, discardLetters } from '#messaging';
import { ProblemException } from '#platform';
import { OPERATOR_DATABASE } from '#runtime';
import { recordCommand } from '../commands/record-command.js';
import { typesOfEvent } from '../queries/list-query.js';
import { nextStepOf, retryable } from './next-step-of.js';

/** Selects dead letters; all conditions must hold. */
export interface LetterFilter {
  consumer?: string | undefined;
  event?: string | undefined;
  /** A name of the catalog or a CloudEvents type. */
  type?: string | undefined;
  /** Put aside at this time or later. RFC 3339. */
  since?: string | undefined;
}

/** The most letters that one command takes. */
export const lettersAtOnce = 500;

type Row = Omit<DeadLetterView, keyof NextStep | 'parkedAt' | 'retryAskedAt' | 'retryAt'> & {
  parkedAt: Date;
  retryAskedAt: Date | null;
  retryAt: Date | null;
  inLog: boolean;
  micros: string;
};

const IN_LOG = `EXISTS (SELECT FROM (${eventById('d.event_id')}) e WHERE e.topic = d.topic)`;
const COLUMNS = `
  d.consumer, d.event_id AS event, d.topic, d.key, d.type, d.parked_at AS "parkedAt", d.reason, d.field, d.source, d.origin,
  d.attempts, d.retry_asked_at AS "retryAskedAt", d.retry_by AS "retryBy",
  d.retry_at AS "retryAt",
  (extract(epoch FROM d.parked_at) * 1000000)::bigint::text AS micros,
  ${IN_LOG} AS "inLog"`;
const MATCHES = `
  ($1::text IS NULL OR d.consumer = $1) AND ($2::uuid IS NULL OR d.event_id = $2) AND ($3::text[] IS NULL OR d.type = ANY ($3))
  AND ($4::timestamptz IS NULL OR d.parked_at >= $4)`;

/** It can be retried, as `nextStepOf` reports, and no retry is pending. */
const WAITS_FOR_RETRY = `
  (d.retry_asked_at IS NULL AND d.topic = ANY ($6::text[]) AND d.consumer <> ALL ($7::text[]) AND ${IN_LOG})`;

/** Events that consumers could not handle, for operators to inspect, retry or discard. docs/how-to/kafka.md, "Dead letters" */
@Injectable()
export class DeadLetters {
  constructor(@Inject(OPERATOR_DATABASE) private readonly db: DataSource) {}

  /** The latest first; with `after` those before that place. @throws InputError if `after` is no place of this list. */
  async list(
    filter: LetterFilter,
    { limit, after }: { limit: number; after?: string | undefined },
  ): Promise<ListPage<DeadLetterView>> {
    const place = placeIn(after);
    const rows = await this.db.query<Row[]>(
      `SELECT ${COLUMNS} FROM dead_letters d
       WHERE ${MATCHES} AND ($5::bigint IS NULL OR (d.parked_at, d.consumer, d.event_id)
             < ('epoch'::timestamptz + $5::bigint * interval '1 microsecond', $6::text, $7::uuid))
       ORDER BY d.parked_at DESC, d.consumer DESC, d.event_id DESC LIMIT $8`,
      [...matching(filter), place?.micros ?? null, place?.consumer ?? null, place?.event ?? null, limit + 1],
    );
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      items: page.map(viewOf),
      ...(last && rows.length > limit ? { next: `${last.micros}~${last.consumer}~${last.event}` } : {}),
    };
  }

  /** @throws ProblemException 404 */
  async show(letter: Letter): Promise<DeadLetterDetail> {
    const [row] = await this.db.query<Row[]>(
      `SELECT ${COLUMNS} FROM dead_letters d WHERE ${MATCHES}`,
      matching(letter),
    );
    if (!row) throw unknownLetter(letter);
    const found = await this.db.query<NonNullable<DeadLetterDetail['logged']>[]>(
      `SELECT position::text, partition, stream, version, time, ${DATA} AS data FROM (${eventById('$1::uuid')}) e WHERE topic = $2`,
      [letter.event, row.topic],
    );
    const [logged] = await unpackData(found);
    return { ...viewOf(row), logged: logged ?? null };
  }

  /** Requests a retry of letters; their consumers carry it out within seconds. Then the letter holds the result, or is gone. */
  retry(filter: LetterFilter, by: string): Promise<LettersDone> {
    return this.change(
      filter,
      { can: (step) => step.retryable, first: WAITS_FOR_RETRY, values: [retryable.topics, retryable.notOf] },
      by,
      async (tx, letters) => {
        await askForRetries(tx, letters, by);
        return { name: 'DeadLettersRetried', data: { partition, letters, by } };
      },
    );
  }

  /** Discards letters: their consumer never handles the events. */
  discard(filter: LetterFilter, by: string, reason: string): Promise<LettersDone> {
    return this.change(filter, { can: () => true, first: 'true', values: [] }, by, async (tx, letters) => {
      await discardLetters(tx, letters);
      return { name: 'DeadLettersDiscarded', data: { partition, letters, by, reason } };
    });
  }

  /**
   * Waits for retries in progress, and then uses their results.
   *
   * @param takes which letters it `can` take, and which come `first` (SQL, values from $6 on), since a command takes a limited number.
   */
  private async change(
    filter: LetterFilter,
    takes: { can: (step: NextStep) => boolean; first: string; values: string[][] },
    by: string,
    effect: (tx: Tx, letters: Letter[]) => Promise<DomainEvent>,
  ): Promise<LettersDone> {
    return recordCommand(this.db, { partition, stream: 'dead-letters', key: by }, async (tx) => {
      const rows = await tx.query<(Row & { isFirst: boolean })[]>(
        `SELECT ${COLUMNS}, ${takes.first} AS "isFirst" FROM dead_letters d WHERE ${MATCHES}
         ORDER BY "isFirst" DESC, d.parked_at, d.consumer, d.event_id LIMIT $5 FOR UPDATE OF d`,
        [...matching(filter), lettersAtOnce + 1, ...takes.values],
      );
      if (rows.length === 0) throw nothingMatches(filter);
      const found = rows.slice(0, lettersAtOnce).map((row) => ({ row, step: nextStepOf(row) }));
      const letters = found.filter(({ step }) => takes.can(step)).map(({ row }) => letterOf(row));
      const left = found
        .filter(({ step }) => !takes.can(step))
        .map(({ row, step }) => ({ ...letterOf(row), nextStep: step.nextStep }));
      if (letters.length === 0) throw notRetryable(left);
      const event = await effect(tx, letters);
      return { event, answer: { letters, left, more: rows[lettersAtOnce]?.isFirst === true } };
    });
  }
}

/** Letters belong to consumers, which serve all partitions: their commands are recorded where lists read first. */
const partition = 'default';

const letterOf = ({ consumer, event }: Letter): Letter => ({ consumer, event });

function viewOf(row: Row): DeadLetterView {
  const { micros: _, inLog: __, parkedAt, retryAskedAt, retryAt, type, ...rest } = row;
  return {
    ...rest,
    type: eventName(type) ?? type,
    parkedAt: parkedAt.toISOString(),
    retryAskedAt: retryAskedAt?.toISOString() ?? null,
    retryAt: retryAt?.toISOString() ?? null,
    ...nextStepOf(row),
  };
}

function matching({ consumer, event, type, since }: LetterFilter): (string | readonly string[] | null)[] {
  return [consumer ?? null, event ?? null, type === undefined ? null : typesOfEvent(type), since ?? null];
}

function placeIn(after: string | undefined): (Letter & { micros: string }) | undefined {
  if (after === undefined) return undefined;
  const [, micros, consumer, event] =
    /^(\d{1,18})~([^~]{1,200})~([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(after) ?? [];
  if (micros && consumer && event) return { micros, consumer, event };
  throw new InputError('query.after', 'is not a position in this list; use the `next` of the previous page');
}

function unknownLetter({ consumer, event }: Letter): ProblemException {
  return new ProblemException({
    code: 'unknown-dead-letter',
    title: 'There is no such dead letter',
    status: 404,
    detail: `${consumer} has no dead letter ${event}: it was handled or discarded, or never was one.`,
    remedy: 'List them: curtail dead-letters list',
  });
}

function nothingMatches(filter: LetterFilter): ProblemException {
  const { consumer, event } = filter;
  if (consumer !== undefined && event !== undefined) return unknownLetter({ consumer, event });
  return new ProblemException({
    code: 'unknown-dead-letter',
    title: 'No dead letter matches',
    status: 404,
    detail: 'No dead letter matches the request.',
    remedy: 'List them: curtail dead-letters list',
  });
}

function notRetryable([first]: { nextStep: string }[]): ProblemException {
  return new ProblemException({
    code: 'not-retryable',
    title: 'The dead letters cannot be retried',
    status: 409,
    detail: 'None of these dead letters can be retried.',
    remedy: `The remedy of the first: ${first?.nextStep ?? ''}.`,
  });
}
