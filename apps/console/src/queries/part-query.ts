import { checkInput } from '@curtail/platform';
import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';

/** How many victims a run lists by default. */
const usualVictims = 1000;

const page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(10_000).default(usualVictims),
  after: z.coerce.number().int().min(0).default(0),
});

/** Selects victims of a run: how many, after which rank. */
export type VictimPage = z.infer<typeof page>;

/** @throws InputError that names the parameter. */
export const victimPage = (query: unknown): VictimPage => checkInput(page, query);

/** Describes those parameters in the OpenAPI document. */
export const ApiVictimPage = () =>
  applyDecorators(
    ApiQuery({ name: 'limit', required: false, description: `victims, 1 to 10000, default ${usualVictims}` }),
    ApiQuery({ name: 'after', required: false, description: '`next` of the previous page' }),
  );

const first = z.strictObject({ limit: z.coerce.number().int().min(1).max(10_000).optional() });

/** How many items of each part of an explanation to return; undefined: all. @throws InputError */
export const firstOfEach = (query: unknown): number | undefined => checkInput(first, query).limit;
