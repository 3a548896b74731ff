import type { DataSource } from 'typeorm';
import type { EventData } from '#contracts';
import { deleteOldest, type Tx } from '#event-store';

type Answered = EventData<'OwnerAnswered'>;

const keptDays = 90;

/** The answers of an allocation to one run, and the one with this id. */
export async function readAnswers(
  tx: Tx,
  { partition, allocation, id }: Pick<Answered, 'partition' | 'allocation' | 'id'>,
  enforcement: string | undefined,
): Promise<{ sameId: Answered | undefined; ofRun: Answered[] }> {
  const rows = await tx.query<{ answer_id: string; enforcement: string | null; data: Answered }[]>(
    `SELECT answer_id, enforcement, data FROM owner_answers
     WHERE partition = $1 AND allocation = $2 AND (answer_id = $3 OR enforcement = $4) ORDER BY answered_at`,
    [partition, allocation, id, enforcement ?? null],
  );
  return {
    sameId: rows.find((row) => row.answer_id === id)?.data,
    ofRun: rows
      .filter((row) => enforcement !== undefined && row.enforcement === enforcement)
      .map(({ data }) => data),
  };
}

export async function saveAnswer(tx: Tx, data: Answered): Promise<void> {
  await tx.query(
    `INSERT INTO owner_answers (partition, allocation, answer_id, enforcement, data, answered_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      data.partition,
      data.allocation,
      data.id,
      data.enforcement ?? null,
      JSON.stringify(data),
      data.answeredAt,
    ],
  );
}

/** Deletes old answers: a repeated one is then a new one. @returns their number; fewer than `limit` if none is left. */
export function trimAnswers(db: DataSource, limit: number): Promise<number> {
  const isOver = 'answered_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'owner_answers', { key: ['answered_at'], isOver, days: keptDays, limit });
}
