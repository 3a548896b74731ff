import type { DataSource, QueryRunner } from 'typeorm';

/**
 * Sends statements that are issued in the same turn of the event loop over one connection, with one write: they do not wait for each other's
 * answers, and one process of the server answers all of them. For reads that are quick, since each is answered after those before it.
 */
export class OneWrite {
  private current: { runner: QueryRunner; unanswered: number } | undefined;

  constructor(private readonly db: DataSource) {}

  async query<T>(text: string, values: unknown[]): Promise<T> {
    const turn = this.current ?? this.begin();
    turn.unanswered++;
    try {
      return (await turn.runner.query(text, values)) as T;
    } finally {
      turn.unanswered--;
      if (turn.unanswered === 0) {
        if (this.current === turn) this.current = undefined;
        await turn.runner.release();
      }
    }
  }

  private begin() {
    const turn = { runner: this.db.createQueryRunner(), unanswered: 0 };
    this.current = turn;
    // Behind everything that this turn of the event loop has issued.
    process.nextTick(() => {
      if (this.current === turn) this.current = undefined;
    });
    return turn;
  }
}
