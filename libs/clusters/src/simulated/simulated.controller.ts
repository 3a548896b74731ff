import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { DataSource } from 'typeorm';
import { CurtailError, InputError } from '#contracts';
import {
  type ApplicationWork,
  applicationWorkList,
  type ClearedWork,
  clearedWork,
  loadAnswer,
  type PlacedScenario,
  placedScenario,
  type QueueWork,
  queueWorkList,
  type WorkCounts,
  workCounts,
} from '#contracts/api';
import { ApiAnswer, ApiTaskAnswer, jsonOfBody, linesType, schemaOf, wantsLines } from '#platform';
import { loadSimulated } from './load.js';
import { loadSpec, readPartition } from './load-spec.js';
import { clear } from './place.js';
import { holdsSample, seedSample } from './sample.js';
import { placeScenario, scenario } from './scenario.js';
import { applicationsWithWork, countWork, workByQueue } from './work.js';

/** The caller of a load has left before it was done. */
class LoadAbandoned extends CurtailError {
  readonly code = 'caller-disconnected';
}

const ApiUnder = () =>
  ApiQuery({ name: 'under', required: false, description: 'Only this queue and all below it. Absent: all.' });

/** Fills, empties and counts the simulated cluster. */
@ApiTags('simulated cluster')
@Controller('v1/partitions/:partition/simulated')
export class SimulatedController {
  constructor(private readonly dataSource: DataSource) {}

  @Get()
  @ApiOperation({ summary: 'The work in the simulated cluster, in numbers' })
  @ApiAnswer(workCounts)
  counts(@Param('partition') partition: string): Promise<WorkCounts> {
    return countWork(this.dataSource, readPartition(partition));
  }

  /** Queues at and below `under` that have work, whether a configuration knows them or not. */
  @Get('queues')
  @ApiOperation({
    summary: 'Queues of the simulated cluster that have work, whether a configuration has them or not',
  })
  @ApiUnder()
  @ApiAnswer(queueWorkList)
  async queues(
    @Param('partition') partition: string,
    @Query('under') under?: string,
  ): Promise<{ items: QueueWork[] }> {
    return { items: await workByQueue(this.dataSource, readPartition(partition), under) };
  }

  /**
   * Answers with the result, or to those who accept them in lines of JSON: `{"done","of"}` as allocations are inserted, finally `{"result"}`,
   * or `{"error":{"message","path"?}}` if it fails after the first line. An earlier failure is an ordinary error response. If the caller
   * disconnects, nothing is loaded.
   */
  @Post('load')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Load generated work into the simulated cluster',
    description:
      'All of it or, after any failure, nothing. Answers when it is done. To a caller that accepts `application/x-ndjson` it streams lines: `{"done","of"}` as progress, then `{"result"}` or `{"error":{"message","path"}}`.',
  })
  @ApiBody({ schema: schemaOf(loadSpec) })
  @ApiTaskAnswer(loadAnswer)
  async load(
    @Param('partition') partition: string,
    @Body() spec: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const streams = wantsLines(request, response);
    const line = (value: unknown) => {
      if (response.destroyed) throw new LoadAbandoned('The caller of the load has disconnected.');
      if (!streams) return;
      if (!response.headersSent) response.type(linesType);
      response.write(`${JSON.stringify(value)}\n`);
    };
    try {
      const result = await loadSimulated(this.dataSource, partition, spec, (done, of) => line({ done, of }));
      if (!streams) {
        response.json({ result });
        return;
      }
      line({ result });
    } catch (error) {
      if (response.destroyed) return;
      if (!response.headersSent) throw error;
      line({
        error: {
          message: error instanceof Error ? error.message : String(error),
          ...(error instanceof InputError ? { path: error.path } : {}),
        },
      });
    }
    response.end();
  }

  /** Loads the sample. A repeated request changes nothing. */
  @Post('sample')
  @HttpCode(200)
  @ApiOperation({ summary: 'Load the sample; a second request changes nothing' })
  @ApiAnswer(workCounts)
  async sample(@Param('partition') partition: string): Promise<WorkCounts> {
    const name = readPartition(partition);
    if (
      !(await seedSample(this.dataSource, new Date(), name)) &&
      !(await holdsSample(this.dataSource, name))
    ) {
      throw new InputError('partition', `partition ${name} has other work: remove it first`);
    }
    return countWork(this.dataSource, name);
  }

  /** Applications at and below `under`, with their running and pending work. */
  @Get('applications')
  @ApiOperation({ summary: 'Applications of the simulated cluster: what they have, and what they wait for' })
  @ApiUnder()
  @ApiAnswer(applicationWorkList)
  async applications(
    @Param('partition') partition: string,
    @Query('under') under?: string,
  ): Promise<{ items: ApplicationWork[] }> {
    return { items: await applicationsWithWork(this.dataSource, readPartition(partition), under) };
  }

  /** Loads a scenario (docs/reference/scenarios.md). */
  @Post('scenario')
  @HttpCode(200)
  @ApiOperation({ summary: 'Load work from a scenario (docs/reference/scenarios.md)' })
  @ApiBody({ schema: schemaOf(scenario) })
  @ApiAnswer(placedScenario)
  scenario(@Param('partition') partition: string, @Body() input: unknown): Promise<PlacedScenario> {
    return placeScenario(this.dataSource, partition, jsonOfBody(input));
  }

  /** Removes the work of `under` and below it; without it, of the whole partition, nodes included. */
  @Delete()
  @ApiOperation({
    summary: 'Remove the work of a queue and below it; without `under`, of the partition with its nodes',
  })
  @ApiUnder()
  @ApiAnswer(clearedWork)
  clear(@Param('partition') partition: string, @Query('under') under?: string): Promise<ClearedWork> {
    return clear(this.dataSource, readPartition(partition), under);
  }
}
