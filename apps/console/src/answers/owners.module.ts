import { randomUUID } from 'node:crypto';
import { Body, Controller, HttpCode, Module, Post, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { type EventData, sentenceOf } from '#contracts';
import { type OwnerAnswerView, ownerAnswerView } from '#contracts/api';
import { moment, ownerAnswers } from '#contracts/events';
import type { AnswerRefusal } from '#enforcement';
import { ApiAnswer, actorNow, assertMay, checkInput, ProblemException, schemaOf } from '#platform';
import { OwnerAnswers } from './owner-answers.js';
import { TakeAnswers } from './take-answers.js';

const id = z.string().trim().min(1).max(256);

const given = z.strictObject({
  partition: z.string().trim().toLowerCase().min(1).max(64).default('default'),
  allocation: id,
  uid: id.optional().describe('The incarnation. Absent: the one that runs.'),
  answer: z.enum(ownerAnswers),
  at: moment.optional().describe('For checkpointed: when the checkpoint was complete. Absent: now.'),
  id: id
    .optional()
    .describe('Your own id of the answer: however often it is sent, it counts once. Absent: a new answer.'),
  by: id
    .default('owner')
    .describe(
      'Who answers. Counts only where no credential is needed: otherwise it is the owner of the credential.',
    ),
});

@ApiTags('owner')
@Controller('v1/answers')
class AnswersController {
  constructor(private readonly answers: OwnerAnswers) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Answer to an upcoming eviction: evict it now, its work is saved, or evict it later',
    description:
      'A team may answer for allocations of its own queues. An answer that changes nothing is refused with 409 and the reason; 404: no such allocation runs.',
  })
  @ApiBody({ schema: schemaOf(given) })
  @ApiAnswer(ownerAnswerView)
  async answer(
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OwnerAnswerView> {
    const answer = checkInput(given, body ?? {});
    const actor = actorNow();
    const sent = { ...answer, id: answer.id ?? randomUUID(), by: actor?.subject ?? answer.by };
    const { answered, refusal, ...rest } = await this.answers.take(sent, (queue) => {
      assertMay(response, ['answer'], { partition: answer.partition, queue });
    });
    if (refusal) throw problemOf(refusal);
    return viewOf(answered, 'repeated' in rest && rest.repeated);
  }
}

function viewOf(data: EventData<'OwnerAnswered'>, repeated: boolean): OwnerAnswerView {
  const { uid = null, enforcement = null, seconds = null, until = null, checkpointedAt = null } = data;
  return {
    ...data,
    uid,
    enforcement,
    seconds,
    until,
    checkpointedAt,
    repeated,
    message: sentenceOf('OwnerAnswered', data),
  };
}

function problemOf({ code, message, remedy }: AnswerRefusal): ProblemException {
  return new ProblemException({
    code,
    title: 'The answer changes nothing',
    status: code === 'allocation-gone' ? 404 : 409,
    detail: message,
    remedy,
  });
}

/** The answers of owners, as requests and as events. */
@Module({ controllers: [AnswersController, TakeAnswers], providers: [OwnerAnswers] })
export class OwnersModule {}
