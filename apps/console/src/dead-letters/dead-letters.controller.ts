import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { deadLetterDetail, deadLetterPage, lettersDone } from '#contracts/api';
import { moment } from '#contracts/events';
import { ApiAnswer, ApiParameters, checkInput, schemaOf, senderField } from '#platform';
import { DeadLetters, lettersAtOnce } from './dead-letters.js';

const consumer = z.string().trim().min(1).max(200);
const event = z.uuid().toLowerCase();
const filter = {
  consumer: consumer.optional().describe('The consumer that could not handle it.'),
  type: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('The name of the event, such as QuotaChanged, or its CloudEvents type.'),
  since: moment.optional().describe('Put aside at this time or later.'),
};
const listed = z.strictObject({
  ...filter,
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  after: z.string().min(1).max(300).optional().describe('`next` of the previous page.'),
});
const letter = z.strictObject({ consumer, event });
const by = senderField();
const chosen = {
  ...filter,
  event: event.optional().describe('Only this one.'),
  all: z.literal(true).optional().describe('All that match; required without an event.'),
  by,
};
const namesSome = ({ event, all }: { event?: string | undefined; all?: true | undefined }) =>
  event !== undefined || all === true;
const which = { error: 'name the event of one letter with its consumer, or give all: true', path: ['event'] };
const retried = z.strictObject(chosen).refine(namesSome, which);
const discarded = z
  .strictObject({
    ...chosen,
    reason: z.string().trim().min(1).max(2000).describe('The reason, recorded in the log.'),
  })
  .refine(namesSome, which);

const page = `At most ${lettersAtOnce} at once, the oldest first; \`more\` is true if others match.`;

@ApiTags('dead letters')
@Controller('v1/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLetters) {}

  @Get()
  @ApiOperation({
    summary: 'Messages that consumers could not handle, latest first',
    description: '`nextStep` is the remedy for each, and `retryable` whether it can be retried.',
  })
  @ApiParameters(listed)
  @ApiAnswer(deadLetterPage)
  list(@Query() query: unknown) {
    const { limit, after, ...wanted } = checkInput(listed, query);
    return this.letters.list(wanted, { limit, after });
  }

  @Get(':consumer/:event')
  @ApiOperation({ summary: 'One dead letter, with its event if it is in the log' })
  @ApiAnswer(deadLetterDetail)
  show(@Param('consumer') consumer: string, @Param('event') event: string) {
    return this.letters.show(checkInput(letter, { consumer, event }));
  }

  @Post('retry')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Retry dead letters',
    description:
      `${page} A process of the consumer retries them within seconds. A letter then disappears, or has the new reason and one ` +
      'more attempt. `left`: those that cannot be retried.',
  })
  @ApiBody({ schema: schemaOf(retried) })
  @ApiAnswer(lettersDone)
  retry(@Body() body: unknown) {
    const { by, all: _, ...wanted } = checkInput(retried, body ?? {});
    return this.letters.retry(wanted, by);
  }

  @Post('discard')
  @HttpCode(200)
  @ApiOperation({ summary: 'Discard dead letters', description: page })
  @ApiBody({ schema: schemaOf(discarded) })
  @ApiAnswer(lettersDone)
  discard(@Body() body: unknown) {
    const { by, reason, all: _, ...wanted } = checkInput(discarded, body ?? {});
    return this.letters.discard(wanted, by, reason);
  }
}
