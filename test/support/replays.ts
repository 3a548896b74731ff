import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { Republisher } from '#messaging';
import type { ArchivePlace } from '../../apps/console/src/archive/archive.module.js';
import { ArchiveLog } from '../../apps/console/src/replay/archive/archive-log.js';
import { RepublishEvents } from '../../apps/console/src/replay/kafka/republish-events.js';
import { BuildProjections } from '../../apps/console/src/replay/projections/build-projections.js';
import { RemakeInThread } from '../../apps/console/src/replay/remake/remake-in-thread.js';
import { Replays } from '../../apps/console/src/replay/replays.js';
import { ReplayDigests, ReplayShadows } from '../../apps/console/src/replay/shadow/replay-shadows.js';

/** Reads the log again as a console does, without the rest of one. */
export function replaysOn(
  db: DataSource,
  kafka: Republisher | null = null,
  archives: ArchivePlace = { afterDays: 0 },
): Replays {
  const apart = new RemakeInThread({ previewSeconds: 60, previewMegabytes: 1024 });
  return new Replays(
    db,
    pino({ level: 'silent' }),
    new BuildProjections(archives),
    new ReplayDigests(archives, apart),
    new ReplayShadows(archives, apart),
    new RepublishEvents(kafka),
    new ArchiveLog(db, archives),
  );
}

export const byTest = { by: 'test', restart: false };

/** The read model as people see it; notices in their order, without the numbers that they got. */
export async function readModel(db: DataSource): Promise<Record<string, unknown[]>> {
  return {
    runs: await db.query('SELECT * FROM read_runs ORDER BY enforcement'),
    victims: await db.query('SELECT * FROM read_victims ORDER BY enforcement, allocation'),
    notices: await db.query(
      'SELECT partition, queue, enforcement, code, message, kind, name, about_queue, at FROM read_notices ORDER BY id',
    ),
  };
}
