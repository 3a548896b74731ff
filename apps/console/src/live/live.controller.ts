import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { InputError } from '#contracts';
import type { Cursor } from '#event-store';
import {
  ApiParameters,
  assertMay,
  CallerPlaces,
  callingClientOf,
  checkInput,
  concerns,
  forAllCallers,
  isStillKnown,
  onceClosed,
  ProblemException,
  readable,
  Shutdown,
} from '#platform';
import { type LiveBatch, LiveFeed } from './live-feed.js';
import { idOfCursor, lastSeenCursor } from './share-answers.js';

/** Pages that may be open at one process; some are kept for operators, and no team has all others. */
const mostPages = { all: 1000, kept: 200, each: 100 };
/** A connection through proxies stays open if something is sent. */
const sentEveryMs = 15_000;
/** How often the rights of an open page are checked. */
const lookedAtEveryMs = 5000;
/** A page that reads so slowly is disconnected; it connects again and resumes. */
const mostUnsentBytes = 1024 * 1024;

const parameters = z.strictObject({
  partition: z.string().toLowerCase().min(1).max(64).default('default'),
  from: z
    .string()
    .max(60)
    .optional()
    .describe('The same as the header `Last-Event-ID`, for clients that cannot set it.'),
});

/** Server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html */
@ApiTags('queries')
@Controller('v1/live')
export class LiveController {
  private readonly open = new Set<Response>();
  private readonly places = new CallerPlaces(mostPages);

  constructor(
    private readonly feed: LiveFeed,
    shutdown: Shutdown,
  ) {
    // The server would wait for them; pages connect to the next process.
    shutdown.register('http', 'the open pages', () => {
      for (const response of this.open) response.end();
    });
  }

  @Get()
  @ApiOperation({
    summary: 'The log of a partition as it is written: server-sent events',
    description:
      'Each message is a batch: `data` is a list of events without their data (`position`, `time`, `name`, `stream`, `version`, `queue`, `enforcement`), ' +
      '`id` the place to resume from (`Last-Event-ID`). The first message comes at once. A message of the type `gap` says that too many events were missed: read everything again. ' +
      'One of the type `late` says that answers since the last events may not have included them, and that they do now: read everything again. ' +
      'A read with the header `Curtail-Last-Seen: <id of the last message>` may get the answer to another such read, unless that answer is older than the message.',
  })
  @ApiParameters(parameters)
  @ApiHeader({
    name: 'Last-Event-ID',
    required: false,
    description: 'The `id` of the last message received.',
  })
  @ApiOkResponse({ content: { 'text/event-stream': { schema: { type: 'string' } } } })
  async follow(
    @Query() query: unknown,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    const { partition, from } = checkInput(parameters, query);
    const cursor = cursorOf(lastEventId ?? from);
    const isReadable = () => concerns(response)?.({ partition }) ?? true;
    if (!isReadable()) assertMay(response, ['read'], { partition });
    const limit = (batch: LiveBatch): LiveBatch => {
      const reads = readable(response);
      return reads
        ? { ...batch, events: batch.events.filter(({ queue }) => reads({ partition, queue })) }
        : batch;
    };
    const leave = this.places.take(callingClientOf(response));
    if (typeof leave === 'string') throw tooManyPages(leave);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      // Proxies such as nginx would collect the messages.
      'X-Accel-Buffering': 'no',
    });
    this.open.add(response);
    const alive = setInterval(() => response.write(':\n\n'), sentEveryMs);
    // A client whose credential still counts connects again.
    const looking = setInterval(() => {
      const look = async () => (await isStillKnown(response)) && isReadable();
      look().then(
        (isPermitted) => isPermitted || response.end(),
        (error: Error) => response.destroy(error),
      );
    }, lookedAtEveryMs);
    let stop: (() => void) | undefined;
    let isOver = false;
    onceClosed(response, () => {
      isOver = true;
      this.open.delete(response);
      clearInterval(alive);
      clearInterval(looking);
      leave();
      stop?.();
    });
    try {
      // All pages share one reader, so it takes no turn of a single caller.
      stop = await forAllCallers(() =>
        this.feed.follow(partition, cursor, (batch) => {
          if (isOver) return;
          response.write(messageOf(limit(batch)));
          if (response.writableLength > mostUnsentBytes) response.destroy();
        }),
      );
      if (isOver) stop();
    } catch (error) {
      // The head is sent: the client sees a broken connection, and tries again.
      response.destroy(error as Error);
    }
  }
}

function messageOf({ next, events, isGap, isLate }: LiveBatch): string {
  const type = isGap ? 'event: gap\n' : isLate ? 'event: late\n' : '';
  return `${type}id: ${idOfCursor(next)}\ndata: ${textOf(events)}\n\n`;
}

/** All pages of a partition get the same events: they are written once. */
const texts = new WeakMap<LiveBatch['events'], string>();

function textOf(events: LiveBatch['events']): string {
  const text = texts.get(events) ?? JSON.stringify(events);
  texts.set(events, text);
  return text;
}

/** @throws InputError that names the header. */
function cursorOf(id: string | undefined): Cursor | undefined {
  if (id === undefined || id === '') return undefined;
  const cursor = lastSeenCursor(id);
  if (cursor === undefined)
    throw new InputError('Last-Event-ID', 'is not the id of a message of this stream');
  return cursor;
}

const tooManyPages = (reached: 'each' | 'all') =>
  new ProblemException(
    {
      code: 'too-many-pages',
      title: 'Too many open pages',
      status: reached === 'all' ? 503 : 429,
      detail:
        reached === 'all'
          ? `This process serves ${mostPages.all} open pages, of which ${mostPages.kept} are kept for operators, and no more.`
          : `This process serves ${mostPages.each} open pages with the token of one team, and no more.`,
      remedy: 'Close some, or run another process of the console.',
      retryAfterSeconds: 30,
    },
    { 'Retry-After': '30' },
  );
