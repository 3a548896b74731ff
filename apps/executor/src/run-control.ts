import type { RunControl, Stop } from '@curtail/enforcement';
import { operatorStream } from '@curtail/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EXECUTOR_SETTINGS, type ExecutorSettings } from './executor-settings.js';
import type { OpenExecution } from './open-executions.js';

const firstBackOffMs = 500;
const longestBackOffMs = 30_000;

/** What has a say over a run and may change between two kills: the lock, the kill switches, the mode. Read for each step. */
@Injectable()
export class ReadRunControl {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(EXECUTOR_SETTINGS) private readonly settings: ExecutorSettings,
  ) {}

  /** `said`: how many events the operators have in the stream of the run. */
  async of({ partition, queue, enforcement }: OpenExecution): Promise<{ control: RunControl; said: number }> {
    const rows: { token: string | null; mode: 'observe' | 'enforce' | null; stops: Stop[]; said: number }[] =
      await this.db.query(
        `SELECT (SELECT fencing_token::text FROM schedules
               WHERE partition = $1 AND queue = $2 AND running_enforcement = $3) AS token,
              (SELECT mode FROM partition_modes WHERE partition = $1) AS mode,
              (SELECT coalesce(json_agg(json_strip_nulls(json_build_object('by', set_by, 'reason', reason))::jsonb
                                        || jsonb_build_object('queue', nullif(queue, ''))), '[]')
               FROM kill_switches WHERE partition = $1) AS stops,
              (SELECT coalesce(max(version), 0) FROM events WHERE stream = $4) AS said`,
        [partition, queue, enforcement, operatorStream(enforcement)],
      );
    const row = rows[0];
    const control: RunControl = {
      mode: row?.mode ?? this.settings.defaultMode,
      stops: row?.stops ?? [],
      fencingToken: row?.token ? Number(row.token) : undefined,
      limits: {
        victimsPerSecond: this.settings.victimsPerSecond,
        maxAttempts: this.settings.tries,
        backOffMs: firstBackOffMs,
        maxBackOffMs: longestBackOffMs,
      },
    };
    return { control, said: row?.said ?? 0 };
  }
}
