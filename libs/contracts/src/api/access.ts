import { z } from 'zod';

export const accessView = z
  .object({
    commands: z
      .boolean()
      .describe('Whether commands of the caller are taken: stop, approve, settings and so on.'),
    because: z.string().nullable().describe('Why not, in a sentence; null: they are.'),
  })
  .meta({ id: 'Access' });
export type AccessView = z.infer<typeof accessView>;
