import { explanationLink, linkedExplanation } from '@curtail/contracts/api';
import { databaseTime } from '@curtail/event-store';
import {
  ApiAnswer,
  checkInput,
  type GeneralSettings,
  goneWith,
  linkedOf,
  linkFor,
  notFound,
  ProblemException,
  pagePath,
  SERVICE_SETTINGS,
  schemaOf,
} from '@curtail/platform';
import { READER_DATABASE } from '@curtail/runtime';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Explain } from './explain.js';

const longestDays = 30;
const wanted = z.strictObject({
  partition: z.string().toLowerCase().min(1).max(64).default('default'),
  days: z.number().int().min(1).max(longestDays).default(7).describe('How long the link works.'),
});
const dayMs = 86_400_000;

/** Links by which an owner reads why one allocation was evicted, and nothing else. docs/how-to/secure.md, "Links for owners" */
@ApiTags('why')
@Controller('v1')
export class LinksController {
  constructor(
    @Inject(Explain) private readonly explain: Explain,
    @Inject(SERVICE_SETTINGS) private readonly settings: GeneralSettings,
    @Inject(READER_DATABASE) private readonly db: DataSource,
  ) {}

  @Post('allocations/:id/link')
  @HttpCode(200)
  @ApiOperation({
    summary: 'A link for the owner of an allocation, who needs no token to read why it was chosen or spared',
    description:
      'Nothing is stored. The part behind `#` is the right to read this one explanation; browsers do not send it with the address. A new CURTAIL_TOKEN ends all links.',
  })
  @ApiBody({ schema: schemaOf(wanted), required: false })
  @ApiAnswer(explanationLink)
  async link(@Param('id') allocation: string, @Body() body: unknown) {
    const { partition, days } = checkInput(wanted, body ?? {});
    const { token } = this.settings;
    if (token === undefined) {
      // Everyone who reaches it reads everything.
      const of = new URLSearchParams({ partition, of: allocation });
      return { path: `${pagePath}why?${of}`, expiresAt: null };
    }
    const expiresAt = new Date((await databaseTime(this.db)).getTime() + days * dayMs).toISOString();
    const link = linkFor(token, { partition, allocation, expiresAt });
    return { path: `${pagePath}explained#${link}`, expiresAt };
  }

  @Get('explained')
  @ApiOperation({
    summary: 'Why runs chose an allocation or spared it, for the bearer of a link',
    description:
      'The link is the token of the request: `Authorization: Bearer link.…`. It opens nothing else.',
  })
  @ApiAnswer(linkedExplanation)
  async explained(@Res({ passthrough: true }) response: Response) {
    const linked = linkedOf(response);
    if (linked === undefined)
      throw notFound('The request carries no link to an explanation.', 'Ask an operator for a link.');
    const { partition, allocation, expiresAt } = linked;
    if (new Date(expiresAt) <= (await databaseTime(this.db))) throw expired(expiresAt);
    const explanation = await this.explain.allocation(partition, allocation, goneWith(response));
    if (!explanation) throw notFound(`Nothing is known of allocation ${allocation} any longer.`);
    return { ...explanation, expiresAt };
  }
}

const expired = (expiresAt: string) =>
  new ProblemException({
    code: 'link-expired',
    title: 'The link has expired',
    status: 410,
    detail: `It expired at ${expiresAt}.`,
    remedy: 'Ask an operator for a new one.',
  });
