import { Body, Controller, Get, Headers, Param, Put, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { InputError } from '#contracts';
import { applied, preview, queueConfiguration } from '#contracts/api';
import { ApiAnswer, ApiTextBody, callingClientOf, JsonText, submitterOf } from '#platform';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import {
  isSet,
  QueryOfDryRun,
  QueryOfRemoval,
  QueryOfSender,
  removesOf,
  senderOf,
} from './request-parameters.js';
import { replacedBy, SubmitQueue } from './submit/submit-queue.js';

const entryText = 'name: research\nresources:\n  max: {memory: 120G}\n';

/** The part of a configuration that belongs to one team. docs/how-to/change-and-go-back.md, "Change one queue" */
@ApiTags('configuration')
@Controller('v1/partitions')
export class QueueConfigController {
  constructor(
    private readonly submissions: SubmitQueue,
    private readonly previews: PreviewConfiguration,
  ) {}

  @Put(':partition/queues/:queue/config')
  @ApiOperation({
    summary: 'Replace one queue of the configuration, with everything below it',
    description:
      'The entry of the queue as in a queues.yaml. The rest of the configuration in force stays as it is, also if it changes meanwhile; a submission that would change another queue is refused.',
  })
  @QueryOfDryRun()
  @QueryOfSender()
  @QueryOfRemoval('the entry')
  @ApiQuery({
    name: 'allowUnknown',
    required: false,
    type: Boolean,
    description: '`true`: keys of the entry that Curtail does not know are warnings, not errors',
  })
  @ApiHeader({
    name: 'if-match',
    required: false,
    description:
      'The ETag of the entry that this one replaces, which changes with the entry alone, or a version of the whole configuration; 412 if another one is in force',
  })
  @ApiTextBody(
    { 'application/yaml': entryText, 'text/plain': entryText },
    { name: 'research', resources: { max: { memory: '120G' } } },
  )
  @ApiAnswer(applied.or(preview))
  async put(
    @Param('partition') named: string,
    @Param('queue') queue: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
    @Query('dryRun') dryRun?: string,
    @Query('by') by?: string,
    @Query('allowUnknown') allowUnknown?: string,
    @Query('removeQueues') removeQueues?: string,
    @Headers('if-match') ifMatch?: string,
  ) {
    const partition = named.toLowerCase();
    const team = submitterOf(response, partition, queue.toLowerCase());
    const entry = {
      queue: queue.toLowerCase(),
      text: textOf(body),
      allowUnknown: isSet(allowUnknown),
      team,
    };
    const client = callingClientOf(response);
    if (isSet(dryRun)) {
      const { result } = await this.submissions.read(partition, entry, { client });
      return this.previews.previewRead(partition, result, client);
    }
    const sender = {
      by: senderOf(by),
      removes: removesOf(removeQueues),
      replaced: replacedBy(ifMatch),
    };
    return this.submissions.submit(partition, entry, sender, client);
  }

  @Get(':partition/queues/:queue/config')
  @ApiOperation({
    summary: 'The entry of a queue in the configuration in force; its ETag changes with the entry alone',
  })
  @ApiAnswer(queueConfiguration)
  async get(
    @Param('partition') partition: string,
    @Param('queue') queue: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { answer, tag } = await this.submissions.inForce(
      partition.toLowerCase(),
      queue.toLowerCase(),
      callingClientOf(response),
    );
    response.setHeader('ETag', tag);
    return answer;
  }
}

function textOf(body: unknown): string {
  if (typeof body === 'string' && body.trim() !== '') return body;
  if (body instanceof JsonText) {
    // One string holds the text itself.
    return body.text.startsWith('"') ? String(JSON.parse(body.text)) : body.text;
  }
  if (body !== null && typeof body === 'object' && Object.keys(body).length > 0) return JSON.stringify(body);
  throw new InputError('', 'the body is empty; send the entry of the queue, as it is under queues');
}
