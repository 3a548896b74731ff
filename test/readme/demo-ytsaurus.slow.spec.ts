import { afterAll, describe, expect, it } from '@jest/globals';
import { StartedProgram } from '../support/started-program.js';

describe('npm run demo:ytsaurus', () => {
  let demo: StartedProgram | undefined;
  afterAll(() => demo?.end('SIGKILL', 'group'));

  it('makes room for an operation on a fake of YTsaurus, ends by itself, and leaves nothing behind', async () => {
    demo = StartedProgram.spawn('npm run demo:ytsaurus', { environment: {} });
    await demo.written(/Curtail runs beside it/);
    const running = await demo.descendants();
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(demo.output).toMatch(/after \S+ s: \d+ jobs of prod/);
    expect(demo.output).toMatch(/job [0-9a-f-]+, interrupt_timeout [1-9]\d* ms/);
    expect(await demo.leftOf(running)).toEqual([]);
  });
});
