import { InputError } from '#contracts';
import { builtProgram, type ThreadProgram } from '../threads/thread.js';
import { WorkInThread } from '../threads/work-in-thread.js';
import { checkJson, type JsonAnswer, type JsonQuestion } from './check-json.js';
import type { CallingClient } from './client.js';
import { JsonText } from './json-text.js';

/** Parsing the longest body takes some ten seconds of a busy machine, and a gigabyte. */
const limits = { seconds: 60, megabytes: 2048 };

/** Checks long texts of JSON in threads: parsing one takes seconds, in which no stop would be answered. */
export class JsonInThread {
  private readonly work: WorkInThread<JsonQuestion, JsonAnswer>;

  constructor(program: ThreadProgram | undefined = builtProgram('json-thread', import.meta.url)) {
    const tooLong = 'Send less at once.';
    this.work = new WorkInThread(
      { what: 'body', remedies: { tooLong, tooLarge: tooLong } },
      limits,
      checkJson,
      program,
    );
  }

  /** @throws InputError with line and column, if the parser reports them; ProblemException as `WorkInThread.run`. */
  async check(question: JsonQuestion, client: CallingClient): Promise<JsonText> {
    // A thread that has parsed a long text keeps its memory while it is idle.
    const answer = await this.work.run((ask) => ask(question, true), client);
    if ('text' in answer) return new JsonText(answer.text);
    const { path, message, line, column } = answer.fault;
    throw new InputError(path, message, line, column);
  }
}
