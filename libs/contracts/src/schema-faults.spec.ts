import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { inPlainWords, schemaFaults } from './schema-faults.js';

const schema = z.strictObject({
  count: z.number().int().min(1).max(100).optional(),
  share: z.number().min(0).optional(),
  weight: z.number().positive().optional(),
  mode: z.enum(['on', 'off', 'later']).optional(),
  name: z.string().min(2).max(4).optional(),
  at: z.iso.datetime().optional(),
  list: z
    .array(z.strictObject({ amount: z.number() }))
    .max(2)
    .optional(),
  amount: z.union([z.number(), z.string()]).optional(),
  protect: z.union([z.literal(false), z.strictObject({ users: z.array(z.string()) })]).optional(),
  way: z
    .union([
      z.strictObject({ nodes: z.array(z.string()) }),
      z.strictObject({ users: z.array(z.string()), queues: z.array(z.string()) }),
    ])
    .optional(),
  code: z.string().regex(/^x/, 'begins with x').optional(),
});

function faults(value: unknown): string[] {
  const { error } = schema.safeParse(value, { error: inPlainWords });
  return schemaFaults(error!.issues).map(({ path, message }) => `${path}: ${message}`);
}

describe('the faults that a schema finds', () => {
  it.each([
    [{ count: 0 }, 'count: it is 0; it must be a whole number from 1 to 100'],
    [{ count: 101 }, 'count: it is 101; it must be a whole number from 1 to 100'],
    [{ count: 1.5 }, 'count: it is 1.5; it must be a whole number from 1 to 100'],
    [{ count: 1e20 }, 'count: it is 100000000000000000000; it must be a whole number from 1 to 100'],
    [{ count: '7' }, 'count: it is a string; it must be a whole number from 1 to 100'],
    [{ count: null }, 'count: it is null; it must be a whole number from 1 to 100'],
    [{ share: -1 }, 'share: it is -1; it must be a number from 0 upwards'],
    [{ weight: 0 }, 'weight: it is 0; it must be a number above 0'],
    [{ mode: 'of' }, 'mode: it is "of"; it must be on, off or later; did you mean on?'],
    [{ name: 'x' }, 'name: it has 1 character; it must be 2 to 4 characters long'],
    [{ at: 'noon' }, 'at: it must be a time such as 2026-11-21T10:00:00Z'],
    [{ list: [{}] }, 'list[0].amount: it is missing; it must be a number'],
    [{ list: [1, 2, 3] }, 'list: it has 3 entries; it must be a list of 0 to 2 entries'],
    [{ amount: true }, 'amount: it is true; it must be a number or a string'],
    [{ protect: 5 }, 'protect: it is 5; it must be false or an object'],
    [{ protect: { users: 5 } }, 'protect.users: it is 5; it must be a list'],
    [{ protect: { users: [], user: [] } }, 'protect.user: is unknown; did you mean users?'],
    [{ way: { users: [], queues: 1 } }, 'way.queues: it is 1; it must be a list'],
    [{ cout: 5 }, 'cout: is unknown; did you mean count?'],
    [{ list: [{ amount: 1, 'b.c': 1 }] }, 'list[0]."b.c": is unknown; known are amount'],
    [{ code: 'y' }, 'code: begins with x'],
    [[], ': it is a list; it must be an object'],
    [7, ': it is 7; it must be an object'],
  ])('of %j states what is wrong and what would be right', (value, expected) => {
    expect(faults(value)).toEqual([expected]);
  });

  it('reports each unknown field', () => {
    expect(faults({ first: 1, second: 2 }).map((fault) => fault.split(':')[0])).toEqual(['first', 'second']);
  });

  it('does not quote a text that may be a secret', () => {
    expect(faults({ count: 'hunter22', at: 'hunter22', list: 'hunter22' }).join()).not.toContain('hunter22');
  });
});
