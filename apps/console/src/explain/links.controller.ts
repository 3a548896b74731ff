import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DataSource, LessThan } from 'typeorm';
import { z } from 'zod';
import { explanationLink, linkedExplanation, linksRevoked } from '#contracts/api';
import { databaseTime } from '#event-store';
import {
  ApiAnswer,
  ApiParameters,
  ApiProblem,
  callingClientOf,
  checkInput,
  type GeneralSettings,
  linkedOf,
  linkFor,
  notFound,
  ProblemException,
  pagePath,
  SERVICE_SETTINGS,
  schemaOf,
  senderField,
  sharedSecretOf,
} from '#platform';
import { OPERATOR_DATABASE, READER_DATABASE } from '#runtime';
import { RevokedLink } from '../entities/index.js';
import { Explain } from './explain.js';

const longestDays = 30;
const partition = z.string().toLowerCase().min(1).max(64).default('default');
const revoked = z.strictObject({
  partition,
  by: senderField(),
});
const wanted = z.strictObject({
  partition,
  days: z.number().int().min(1).max(longestDays).default(7).describe('How long the link works.'),
});
const dayMs = 86_400_000;

/** Links by which an owner reads why one allocation was evicted, and nothing else. docs/how-to/secure.md, "Links for owners" */
@ApiTags('why')
@Controller('v1')
export class LinksController {
  constructor(
    private readonly explain: Explain,
    @Inject(SERVICE_SETTINGS) private readonly settings: GeneralSettings,
    @Inject(READER_DATABASE) private readonly db: DataSource,
    @Inject(OPERATOR_DATABASE) private readonly operators: DataSource,
  ) {}

  @Post('allocations/:id/link')
  @HttpCode(200)
  @ApiOperation({
    summary: 'A link for the owner of an allocation, who needs no token to read why it was chosen or spared',
    description:
      'Nothing is stored. The part behind `#` is the right to read this one explanation; browsers do not send it with the address. `DELETE` revokes the links of an allocation, and a new CURTAIL_TOKEN, or without one a new signing key, revokes all links.',
  })
  @ApiBody({ schema: schemaOf(wanted), required: false })
  @ApiAnswer(explanationLink)
  async link(@Param('id') allocation: string, @Body() body: unknown) {
    const { partition, days } = checkInput(wanted, body ?? {});
    const token = sharedSecretOf(this.settings);
    if (token === undefined) {
      // A link needs CURTAIL_TOKEN, or a signing key. Without them, callers with the right to read open the page itself.
      const of = new URLSearchParams({ partition, of: allocation });
      return { path: `${pagePath}why?${of}`, expiresAt: null };
    }
    const madeAt = await databaseTime(this.db);
    const expiresAt = new Date(madeAt.getTime() + days * dayMs).toISOString();
    const link = linkFor(token, { partition, allocation, expiresAt, madeAt: madeAt.toISOString() });
    return { path: `${pagePath}explained#${link}`, expiresAt };
  }

  @Delete('allocations/:id/link')
  @ApiOperation({
    summary: 'Revoke all existing links for the owner of an allocation',
    description: 'This includes lost links. Links made later work.',
  })
  @ApiParameters(revoked)
  @ApiAnswer(linksRevoked)
  async revoke(@Param('id') allocation: string, @Query() query: unknown) {
    const { partition, by } = checkInput(revoked, query);
    if (sharedSecretOf(this.settings) === undefined) throw nothingToRevoke();
    const at = await revokeLinks(this.operators, { partition, allocation, revokedBy: by });
    return { partition, allocation, revokedAt: at.toISOString() };
  }

  @Get('explained')
  @ApiOperation({
    summary: 'Why runs chose an allocation or spared it, for the bearer of a link',
    description:
      'The link is the token of the request: `Authorization: Bearer link.…`. It opens nothing else.',
  })
  @ApiAnswer(linkedExplanation)
  @ApiProblem(404, 'The token is no link, or nothing is known of its allocation any longer.')
  @ApiProblem(410, 'The link has expired, or was revoked.')
  @ApiProblem(422, 'It needs more memory than a thread may use.')
  async explained(@Res({ passthrough: true }) response: Response) {
    const linked = linkedOf(response);
    if (linked === undefined)
      throw notFound('The request carries no link to an explanation.', 'Ask an operator for a link.');
    const { partition, allocation, expiresAt, madeAt } = linked;
    if (new Date(expiresAt) <= (await databaseTime(this.db))) throw expired(expiresAt);
    const revoked = await this.db.getRepository(RevokedLink).findOneBy({ partition, allocation });
    if (revoked && new Date(madeAt) <= revoked.revokedAt) throw revokedLink();
    const explanation = await this.explain.allocation(partition, allocation, callingClientOf(response));
    if (!explanation) throw notFound(`Nothing is known of allocation ${allocation} any longer.`);
    return { ...explanation, expiresAt };
  }
}

/** Links that have been revoked for longer than any link works have expired by themselves: their rows go. @returns now. */
function revokeLinks(db: DataSource, link: Omit<RevokedLink, 'revokedAt'>): Promise<Date> {
  return db.transaction(async (tx) => {
    const revokedAt = await databaseTime(tx);
    const expired = new Date(revokedAt.getTime() - (longestDays + 1) * dayMs);
    await tx.getRepository(RevokedLink).delete({ revokedAt: LessThan(expired) });
    await tx.getRepository(RevokedLink).upsert({ ...link, revokedAt }, ['partition', 'allocation']);
    return revokedAt;
  });
}

const revokedLink = () =>
  new ProblemException({
    code: 'link-revoked',
    title: 'The link was revoked',
    status: 410,
    detail: 'An operator revoked the links to this explanation.',
    remedy: 'Ask an operator for a new one.',
  });

/** Without CURTAIL_TOKEN a link is the address of a page for those who may read. */
const nothingToRevoke = () =>
  new ProblemException({
    code: 'nothing-to-revoke',
    title: 'Without a token there are no links to revoke',
    status: 409,
    detail:
      'Curtail makes links with CURTAIL_TOKEN, which is not set: callers with the right to read open the page without a link.',
    remedy: 'Set CURTAIL_TOKEN.',
  });

const expired = (expiresAt: string) =>
  new ProblemException({
    code: 'link-expired',
    title: 'The link has expired',
    status: 410,
    detail: `It expired at ${expiresAt}.`,
    remedy: 'Ask an operator for a new one.',
  });
