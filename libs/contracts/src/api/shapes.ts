import { z } from 'zod';
import { fact, resources, subject } from '../events/shapes.js';
import type { Subject } from '../subject.js';

/** Shapes that several answers share. A schema with an id is a component of the OpenAPI document under that name. */

export const time = z.iso.datetime().describe('RFC 3339, UTC');
export const count = z.number().int().min(0);
/** The names of a union of texts: all of them, or it does not compile. */
export const oneOf = <T extends string>(names: Record<T, true>) => z.enum(Object.keys(names) as [T, ...T[]]);

/** Amounts in base units, by resource type. */
export const amounts = resources.meta({
  id: 'Amounts',
  description:
    'Amounts in base units by resource type: memory in bytes, vcore in millicores, other types in units.',
});
/** Absent in most answers: only configurations of YARN have node labels. */
export const nodeLabels = z
  .array(z.string())
  .optional()
  .describe(
    'The node labels of the configuration, `*` for labels without a name; absent: none. Curtail does not count them: nothing is enforced in the partition.',
  );
export const runbookPage = z
  .string()
  .optional()
  .describe(
    'The page of docs/runbooks that says what to do, such as `docs/runbooks/kafka-down.md`; absent: the remedy is all there is to do.',
  );
/** A difference of amounts may be negative. */
export const differenceOfAmounts = z.record(z.string(), z.number().int());

export const facts = z.record(z.string(), fact).meta({
  id: 'Facts',
  description:
    'The facts of the rule that decided for a victim, by name: docs/reference/snapshot.md, "Rules and facts".',
});

export const subjectView = subject.meta({
  id: 'Subject',
  description: 'The subject of a notice or a reason.',
});

const planSubject = z
  .object({
    ...subject.shape,
    kind: oneOf<Subject['kind']>({
      partition: true,
      queue: true,
      pool: true,
      operation: true,
      application: true,
      allocation: true,
      node: true,
      enforcement: true,
    }),
  })
  .meta({ id: 'PlanSubject', description: 'The subject of a notice of a plan.' });

/** A notice of a plan: its subject is of a known kind. */
export const planNotice = z
  .object({ code: z.string(), message: z.string().describe('One sentence for people.'), about: planSubject })
  .meta({ id: 'PlanNotice' }) as unknown as z.ZodType<{ code: string; message: string; about: Subject }>;

export const waitingView = z
  .object({
    code: z.string(),
    message: z.string().describe('One sentence for people.'),
    about: subjectView,
  })
  .meta({ id: 'Waiting', description: 'The reason for a wait, and its subject.' }) as unknown as z.ZodType<{
  code: string;
  message: string;
  about: Subject;
}>;

export const startsAt = time
  .nullable()
  .optional()
  .describe(
    'When the run starts, as far as it is known: the due time, or the end of the freeze that holds the run then. null: what holds it has no ' +
      'end (`waiting` says what), or no run is to start.',
  );

/** A recorded notice. */
export const noticeShape = z
  .object({ code: z.string(), message: z.string(), about: subjectView.optional() })
  .meta({ id: 'RecordedNotice' });

export const outcome = z.enum(['not-needed', 'satisfied', 'best-effort', 'impossible', 'skipped']).meta({
  id: 'PlanOutcome',
});

/** The rejection of a whole change, which each of its runs follows. */
export const rejectedChange = z
  .object({ configuration: count.describe('Version of the configuration.'), by: z.string() })
  .meta({
    id: 'RejectedChange',
    description: 'An operator rejected the configuration: the run will be rejected, and evict nothing.',
  });

/** A page of a list. */
export const pageOf = <T extends z.ZodType>(item: T, id: string) =>
  z
    .object({
      items: z.array(item),
      next: z
        .string()
        .optional()
        .describe('Pass it as `after` to read the next page. Absent on the last page.'),
    })
    .meta({ id });

/** A page of a list; `next` is present if there are more items. */
export interface ListPage<T> {
  items: T[];
  next?: string;
}
