import { z } from 'zod';

export const namedKinds = [
  'enforcement',
  'allocation',
  'replay',
  'dead-letter',
  'queue',
  'partition',
] as const;
export const namedKind = z.enum(namedKinds);
export type NamedKind = z.infer<typeof namedKind>;

export const nameList = z.object({ items: z.array(z.string()) }).meta({ id: 'NameList' });
export type NameList = z.infer<typeof nameList>;
