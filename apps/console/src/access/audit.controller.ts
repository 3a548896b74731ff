import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { auditPage } from '#contracts/api';
import { catalog, type EventName, eventName, moment, typesOf } from '#contracts/events';
import { DATA, databaseTime, endOfLog } from '#event-store';
import { ApiAnswer, ApiParameters, checkInput, type GeneralSettings, SERVICE_SETTINGS } from '#platform';
import { READER_DATABASE } from '#runtime';

const wanted = z.strictObject({
  since: moment.describe('At this time or later.'),
  until: moment.optional().describe('Before this time.'),
  partition: z.string().trim().toLowerCase().min(1).max(64).optional().describe('Absent: all.'),
  by: z.string().trim().min(1).max(200).optional().describe('Only of this subject.'),
  limit: z.coerce.number().int().min(1).max(1000).default(1000),
  after: z
    .string()
    .regex(/^\d{1,18}$/, 'is not a position of the log')
    .default('0')
    .describe('`next` of the previous page.'),
});

/** The events that state who commanded or sent something. */
const types = (Object.keys(catalog) as EventName[])
  .filter((name) => {
    const { schema } = catalog[name];
    return schema instanceof z.ZodObject && 'actor' in schema.shape;
  })
  .flatMap(typesOf);

interface Row {
  position: string;
  time: Date;
  type: string;
  partition: string;
  key: string;
  data: Record<string, unknown>;
}

@ApiTags('queries')
@Controller('v1/audit')
export class AuditController {
  constructor(
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(SERVICE_SETTINGS) private readonly settings: GeneralSettings,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Who commanded or configured what, oldest first, signed',
    description:
      'The signature is over `lines`, exactly as they are, followed by `page` as JSON without spaces. It is made with the key of CURTAIL_SIGNING_KEY_FILE; `GET /v1/keys` has the public part.',
  })
  @ApiParameters(wanted)
  @ApiAnswer(auditPage)
  async audit(@Query() query: unknown) {
    const { since, until, partition, by, limit, after } = checkInput(wanted, query);
    const [at, end] = [await databaseTime(this.db), await endOfLog(this.db)];
    const rows = await this.db.query<Row[]>(
      `SELECT position::text, time, type, partition, key, ${DATA} AS data FROM events
       WHERE type = ANY ($1) AND time >= $2 AND ($3::timestamptz IS NULL OR time < $3)
         AND ($4::text IS NULL OR partition = $4) AND ($5::text IS NULL OR data ->> 'by' = $5) AND position > $6
       ORDER BY events.position LIMIT $7`,
      [types, since, until ?? null, partition ?? null, by ?? null, after, limit + 1],
    );
    const page = rows.slice(0, limit);
    const lines = page.map((row) => `${JSON.stringify(recordOf(row))}\n`).join('');
    const covered = {
      ...{ since, until: until ?? null, partition: partition ?? null, by: by ?? null, after },
      next: rows.length > limit ? page.at(-1)!.position : null,
      records: page.length,
      ...{ at: at.toISOString(), end: end.position },
    };
    const signature = this.settings.signingKey?.sign(lines + JSON.stringify(covered)) ?? null;
    return { lines, page: covered, signature };
  }
}

function recordOf({ position, time, type, partition, key, data }: Row) {
  const { by = null, actor = null, ...rest } = data;
  return {
    position,
    time: time.toISOString(),
    event: eventName(type) ?? type,
    partition,
    key,
    by,
    actor,
    data: rest,
  };
}
