import type { DataSource } from 'typeorm';
import type { EventData } from '#contracts';
import { deleteOldest, type Tx } from '#event-store';
import { OwnerAnswer } from '../entities/index.js';

type Answered = EventData<'OwnerAnswered'>;

const keptDays = 90;

/** The answers of an allocation to one run, and the one with this id. */
export async function readAnswers(
  tx: Tx,
  { partition, allocation, id }: Pick<Answered, 'partition' | 'allocation' | 'id'>,
  enforcement: string | undefined,
): Promise<{ sameId: Answered | undefined; ofRun: Answered[] }> {
  const of = { partition, allocation };
  const rows = await tx.getRepository(OwnerAnswer).find({
    where: [{ ...of, answerId: id }, ...(enforcement === undefined ? [] : [{ ...of, enforcement }])],
    order: { answeredAt: 'ASC' },
  });
  return {
    sameId: rows.find((row) => row.answerId === id)?.data,
    ofRun: rows
      .filter((row) => enforcement !== undefined && row.enforcement === enforcement)
      .map(({ data }) => data),
  };
}

export async function saveAnswer(tx: Tx, data: Answered): Promise<void> {
  const { partition, allocation, id: answerId, enforcement = null } = data;
  const answeredAt = new Date(data.answeredAt);
  await tx
    .getRepository(OwnerAnswer)
    .insert({ partition, allocation, answerId, enforcement, data, answeredAt });
}

/** Deletes old answers: a repeated one is then a new one. @returns their number; fewer than `limit` if none is left. */
export function trimAnswers(db: DataSource, limit: number): Promise<number> {
  const isOver = 'answered_at < now() - make_interval(days => $1)';
  return deleteOldest(db, 'owner_answers', { key: ['answered_at'], isOver, days: keptDays, limit });
}
