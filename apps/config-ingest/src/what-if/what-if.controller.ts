import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { configurationFormats } from '#contracts';
import { whatIf } from '#contracts/api';
import { ApiAnswer, callingClientOf, checkInput, jsonOfBody, schemaOf } from '#platform';
import { CompareConfigurations } from './compare.js';

/** As those of the operator: partitions and queues are stored in lower case. */
const path = (longest: number) => z.string().trim().toLowerCase().min(1).max(longest);
const name = z.string().trim().min(1).max(200);

const delaySeconds = z
  .int()
  .min(1)
  .max(366 * 86_400)
  .optional()
  .describe(
    'A delay for queues with a max that have none, in seconds; the enforcement of quotas then counts as switched on. With `quotas` it is for the queues that they name.',
  );

const configuration = z.strictObject({
  name,
  delaySeconds,
  configuration: z
    .union([z.string().min(1), z.record(z.string(), z.unknown()), z.array(z.unknown()).min(1)])
    .describe('A whole configuration, as `PUT /v1/partitions/{partition}/config` takes it'),
  format: z.enum(configurationFormats).optional().describe('The format. Absent: detected.'),
  allowUnknown: z.boolean().optional().describe('true: unknown keys of queues.yaml are warnings.'),
});
const quotas = z.strictObject({
  name,
  delaySeconds,
  quotas: z
    .array(
      z.strictObject({
        queue: path(4096),
        max: z
          .record(z.string().min(1).max(253), z.union([z.string().max(64), z.number()]))
          .describe(
            'Quantities by resource type, such as `{"memory": "120G"}`; other types stay as they are',
          ),
      }),
    )
    .min(1)
    .max(100)
    .describe('Limits to try in place of those in force'),
});
const request = z.strictObject({
  partition: path(64).default('default'),
  alternatives: z
    .array(z.union([configuration, quotas]))
    .min(1)
    .max(5),
});

@ApiTags('configuration')
@Controller('v1/what-if')
export class WhatIfController {
  constructor(private readonly configurations: CompareConfigurations) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Compare proposed configurations, or single quotas, against the current allocations',
    description:
      'For each of at most five: victims by queue, owner and application, the work they lose, what stays above its quota and why, and the ' +
      'lowest quota that needs no victim. Nothing is stored.',
  })
  @ApiBody({ schema: schemaOf(request) })
  @ApiAnswer(whatIf)
  compare(@Body() body: unknown, @Res({ passthrough: true }) response: Response) {
    const { partition, alternatives } = checkInput(request, jsonOfBody(body));
    return this.configurations.compare(partition, alternatives, callingClientOf(response));
  }
}
