import { checkInput } from '@curtail/platform';
import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { ReplayDigests } from './replay-digests.js';

const wish = z.strictObject({
  into: z.enum(['digest']),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
});

@ApiTags('replay')
@Controller('v1/replays')
export class ReplayController {
  constructor(@Inject(ReplayDigests) private readonly digests: ReplayDigests) {}

  /** Answers in lines of JSON: `{"done","of"}` on the way, `{"result"}` at the end, or `{"error":{"message"}}`. */
  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Read the log again: make every recorded plan anew and compare digests',
    description: 'Lines of JSON: `{"done","of"}` on the way, `{"result"}` at the end. Never evicts.',
  })
  @ApiBody({ schema: { type: 'object', required: ['into'], properties: { into: { enum: ['digest'] } } } })
  async replay(@Body() body: unknown, @Res() response: Response): Promise<void> {
    const { from, to } = checkInput(wish, body);
    const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
    const of = await this.digests.count(range);
    const line = (value: unknown) => {
      if (response.destroyed) throw new Error('the caller of the replay has gone away');
      response.write(`${JSON.stringify(value)}\n`);
    };
    response.type('application/x-ndjson');
    line({ done: 0, of });
    try {
      line({ result: await this.digests.run(range, (done) => line({ done, of })) });
    } catch (error) {
      if (!response.destroyed) line({ error: { message: (error as Error).message } });
    }
    response.end();
  }
}
