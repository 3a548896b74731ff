import { Controller, Get, Inject, Module, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type LogVerification, logVerification } from '#contracts/api';
import { verifyLog } from '#event-store';
import { ApiAnswer, ApiParameters, checkInput } from '#platform';
import { READER_DATABASE } from '#runtime';
import { LayChain } from './lay-chain.js';
import { SendCheckpoints } from './send-checkpoints.js';

const query = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .describe('The `pass` of the page before; absent: from the first block.'),
});

@ApiTags('log')
@Controller('v1/log')
class VerifyController {
  constructor(@Inject(READER_DATABASE) private readonly db: DataSource) {}

  @Get('verification')
  @ApiOperation({
    summary: 'Compare the log with its hash chains',
    description:
      'A page of some 20,000 events, from the first block on; the client asks until `atEnd`. Events that are out of the database are compared in their archives, by `curtail verify --archive`.',
  })
  @ApiParameters(query)
  @ApiAnswer(logVerification)
  async verification(@Query() given: unknown): Promise<LogVerification> {
    const { after } = checkInput(query, given);
    const page = await verifyLog(this.db, after);
    const blocks = page.blocks.map(({ partition, block, pass, through, hash }) => ({
      ...{ partition, block, pass, through },
      hash: hash.toString('hex'),
    }));
    return { ...page, blocks };
  }
}

/** The hash chains of the log. */
@Module({ controllers: [VerifyController], providers: [LayChain, SendCheckpoints] })
export class ChainModule {}
