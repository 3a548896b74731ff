import { Body, Controller, Get, Headers, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { type ConfigurationFormat, configurationFormats, InputError } from '#contracts';
import {
  type Applied,
  applied,
  configurationInForce as configurationInForceView,
  preview,
  queueRunPreview,
  versionNumber,
} from '#contracts/api';
import {
  ApiAnswer,
  ApiProblem,
  ApiTextBody,
  callingClientOf,
  checkInput,
  JsonText,
  ProblemException,
  tagOf,
} from '#platform';
import { PreviewConfiguration } from './preview/preview-configuration.js';
import { PreviewQueue } from './preview/preview-queue.js';
import {
  isSet,
  QueryOfDryRun,
  QueryOfRemoval,
  QueryOfSender,
  removesOf,
  senderOf,
} from './request-parameters.js';
import { Rollback } from './rollback.js';
import { noConfiguration, readConfigurationInForce } from './submit/configuration-store.js';
import { expectedVersion } from './submit/expected-version.js';
import { type Submission } from './submit/submission.js';
import { SubmitConfiguration } from './submit/submit-configuration.js';

const queuesYaml = 'partitions:\n  - name: default\n    queues:\n      - name: root\n';

/** An example of each format, by the content types that carry it. */
const configurationTexts = {
  'application/yaml': queuesYaml,
  'application/xml': [
    '<configuration>',
    '  <property>',
    '    <name>yarn.scheduler.capacity.root.queues</name>',
    '    <value>default</value>',
    '  </property>',
    '  <property>',
    '    <name>yarn.scheduler.capacity.root.default.capacity</name>',
    '    <value>100</value>',
    '  </property>',
    '</configuration>',
    '',
  ].join('\n'),
  'application/x-yt-yson-text':
    '{pool_trees={physical={pools={production={strong_guarantee_resources={cpu=60}}}}}}\n',
  'text/plain': queuesYaml,
};

@ApiTags('configuration')
@Controller('v1/partitions')
export class ConfigController {
  constructor(
    private readonly db: DataSource,
    private readonly submissions: SubmitConfiguration,
    private readonly previews: PreviewConfiguration,
    private readonly rollbacks: Rollback,
    private readonly queuePreviews: PreviewQueue,
  ) {}

  @Put(':partition/config')
  @ApiOperation({
    summary: 'Put a whole configuration in force, or see what it would do',
    description:
      'queues.yaml of YuniKorn, also in its ConfigMap or in values of its chart, capacity-scheduler.xml of YARN, also in a definition of EMR or Ambari, or pool trees of YTsaurus, also in YSON; also as JSON of the same shape. Text is UTF-8, or UTF-16. Of several partitions only the named one is taken.',
  })
  @QueryOfDryRun(
    'what would change, and the runs in the order in which they would start, each with its victims and what it waits for; nothing is kept',
  )
  @ApiQuery({
    name: 'format',
    required: false,
    enum: configurationFormats,
    description: 'The format. Absent: detected from the configuration.',
  })
  @QueryOfSender()
  @QueryOfRemoval('the configuration')
  @ApiQuery({
    name: 'allowUnknown',
    required: false,
    type: Boolean,
    description:
      '`true`: keys of queues.yaml that Curtail does not know are warnings, not errors. One that is nearly a known key stays an error',
  })
  @ApiHeader({
    name: 'if-match',
    required: false,
    description: 'The ETag of the configuration that this one replaces; 412 if another one is in force',
  })
  @ApiHeader({
    name: 'if-none-match',
    required: false,
    description: '`*`: only if no configuration is in force',
  })
  @ApiTextBody(configurationTexts, { partitions: [{ name: 'default', queues: [{ name: 'root' }] }] })
  @ApiAnswer(applied.or(preview))
  put(
    @Param('partition') partition: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
    @Query('dryRun') dryRun?: string,
    @Query('format') format?: string,
    @Query('by') by?: string,
    @Query('allowUnknown') allowUnknown?: string,
    @Query('removeQueues') removeQueues?: string,
    @Headers('if-match') ifMatch?: string,
    @Headers('if-none-match') ifNoneMatch?: string,
  ) {
    const submission = {
      ...submissionOf(body),
      ...formatOf(format),
      allowUnknown: isSet(allowUnknown),
    };
    const sender = {
      by: senderOf(by),
      ifVersion: expectedVersion(ifMatch, ifNoneMatch),
      removes: removesOf(removeQueues),
    };
    const client = callingClientOf(response);
    return isSet(dryRun)
      ? this.previews.preview(partition.toLowerCase(), submission, client)
      : tagged(response, this.submissions.submit(partition.toLowerCase(), submission, sender, client));
  }

  @Post(':partition/configurations/:version/rollback')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Put an earlier version of the configuration in force again, or see what that would do',
    description: 'Its text becomes a new version; the history stays as it is.',
  })
  @QueryOfDryRun()
  @QueryOfSender()
  @ApiHeader({
    name: 'if-match',
    required: false,
    description: 'The ETag of the configuration that it replaces; 412 if another one is in force',
  })
  @ApiAnswer(applied.or(preview))
  rollback(
    @Param('partition') name: string,
    @Param('version') written: string,
    @Res({ passthrough: true }) response: Response,
    @Query('dryRun') dryRun?: string,
    @Query('by') by?: string,
    @Headers('if-match') ifMatch?: string,
  ) {
    const { version } = checkInput(z.object({ version: versionNumber }), { version: written });
    const partition = name.toLowerCase();
    if (isSet(dryRun)) return this.rollbacks.preview(partition, version, callingClientOf(response));
    const sender = {
      by: senderOf(by),
      ifVersion: expectedVersion(ifMatch, undefined),
    };
    return tagged(response, this.rollbacks.to(partition, version, sender, callingClientOf(response)));
  }

  @Get(':partition/config')
  @ApiOperation({ summary: 'The configuration in force, as it was sent; its ETag is its version' })
  @ApiAnswer(configurationInForceView)
  async get(@Param('partition') partition: string, @Res({ passthrough: true }) response: Response) {
    const configuration = await readConfigurationInForce(this.db, partition.toLowerCase());
    if (!configuration) throw await noConfiguration(this.db, partition.toLowerCase());
    response.setHeader('ETag', tagOf(configuration.version));
    const { cluster: _cluster, ...answer } = configuration;
    return answer;
  }

  @Get(':partition/queues/:queue/preview')
  @ApiOperation({
    summary: 'The run that a queue would have now, or that its pending clock leads to, with its victims',
    description: 'Planned with the configuration in force and the current allocations; nothing is kept.',
  })
  @ApiAnswer(queueRunPreview)
  @ApiProblem(422, 'It needs more memory than a thread may use.')
  ofQueue(
    @Param('partition') partition: string,
    @Param('queue') queue: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    return this.queuePreviews.preview(
      partition.toLowerCase(),
      queue.toLowerCase(),
      callingClientOf(response),
    );
  }
}

export /** The answer, with the version in force as its entity tag. */
async function tagged(response: Response, answer: Promise<Applied>): Promise<Applied> {
  const result = await answer;
  response.setHeader('ETag', tagOf(result.version));
  return result;
}

function formatOf(written: string | undefined): { format?: ConfigurationFormat } {
  if (written === undefined || written === '') return {};
  const format = configurationFormats.find((known) => known === written);
  if (format !== undefined) return { format };
  throw new InputError(
    'format',
    `is not a supported format; write one of ${configurationFormats.join(', ')}`,
  );
}

function submissionOf(body: unknown): Submission {
  if (typeof body === 'string') return { text: body };
  if (body instanceof JsonText) return { jsonText: body.text };
  if (body !== null && typeof body === 'object' && Object.keys(body).length > 0) return { json: body };
  throw new ProblemException({
    code: 'configuration-missing',
    title: 'There is no configuration in the request',
    status: 400,
    detail: 'The body is empty, or is neither YAML, JSON nor XML.',
    remedy: 'Send queues.yaml with the header Content-Type: application/yaml.',
  });
}
