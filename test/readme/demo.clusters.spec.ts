import { afterAll, describe, expect, it } from '@jest/globals';
import { isYarnBuilt } from '../../scripts/infra/index.js';
import { StartedProgram } from '../support/started-program.js';

describe('npm run demo:kubernetes', () => {
  let demo: StartedProgram | undefined;
  afterAll(() => demo?.end('SIGKILL', 'group'));

  it('shows evictions on a Kubernetes of its own, ends by itself, and leaves nothing behind', async () => {
    const { CURTAIL_INFRA_CACHE } = process.env;
    demo = StartedProgram.spawn('npm run demo:kubernetes', {
      environment: { ...(CURTAIL_INFRA_CACHE && { CURTAIL_INFRA_CACHE }) },
    });
    await demo.written(/Curtail runs beside it/);
    const running = await demo.descendants();
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(demo.output).toMatch(/30 pods were evicted/);
    expect(await demo.leftOf(running)).toEqual([]);
  });
});

/** Reported as skipped without YARN. */
const onYarn = isYarnBuilt() ? describe : describe.skip;

onYarn('npm run demo:yarn', () => {
  let demo: StartedProgram | undefined;
  afterAll(() => demo?.end('SIGKILL', 'group'));

  it('shows an inversion and a lowered quota on a YARN of its own, ends by itself, and leaves nothing behind', async () => {
    const { CURTAIL_INFRA_CACHE } = process.env;
    demo = StartedProgram.spawn('npm run demo:yarn', {
      environment: { ...(CURTAIL_INFRA_CACHE && { CURTAIL_INFRA_CACHE }) },
    });
    await demo.written(/Curtail runs beside it/);
    const running = await demo.descendants();
    expect(await demo.ended).toEqual({ code: 0, signal: null });
    expect(demo.output.replaceAll(/\ndemo: +/g, ' ')).toContain(
      'it has its 50 containers; 50 others were signalled, 0 masters among them',
    );
    expect(demo.output).toMatch(/\d+ further containers have ended, the lower priority first/);
    expect(demo.output).toMatch(/container_\w+/);
    expect(await demo.leftOf(running)).toEqual([]);
  });
});
