import { describe, expect, it } from '@jest/globals';
import { banner, modesAtStart } from './banner.js';

const usual = {
  url: 'http://127.0.0.1:8080',
  seeded: false,
  modes: modesAtStart([], { defaultMode: 'enforce' }),
  cluster: 'simulated',
  credential: 'open' as const,
  hint: (text: string) => text,
};

describe('what a start prints', () => {
  it('names the address of the page', () => {
    expect(banner(usual)).toContain('http://127.0.0.1:8080/ui/\n');
  });

  it('sets nothing where the command line finds the server by itself', () => {
    expect(banner(usual)).not.toContain('export');
  });

  it('shows how the command line finds a server elsewhere', () => {
    expect(banner({ ...usual, url: 'http://127.0.0.1:18080' })).toContain(
      'export CURTAIL_SERVER=http://127.0.0.1:18080\n',
    );
  });

  it('names what there is to do on a cluster of its own, and no sample', () => {
    const modes = modesAtStart([], { defaultMode: 'observe' });
    const shown = banner({ ...usual, cluster: 'kubernetes', modes });
    expect(shown).toContain('curtail doctor');
    expect(shown).toContain('--mode enforce');
    expect(shown).not.toContain('examples/');
    expect(banner({ ...usual, cluster: 'kubernetes' })).not.toContain('--mode enforce');
  });

  it('names the modes that were set and do not count, below its first line', () => {
    const modes = modesAtStart([{ partition: 'blue', mode: 'enforce' }], {
      mode: 'observe',
      defaultMode: 'enforce',
    });
    expect(banner({ ...usual, modes })).toContain(
      '(mode: observe, cluster: simulated)\n  The mode enforce of partition blue does not count: --mode observe (CURTAIL_MODE) overrides it, and nothing is evicted.\n',
    );
  });

  it('leaves out what is for the sample where a scenario is played', () => {
    const scenario = { title: 'Starvation', partition: 'starvation-scenario' };
    const shown = banner({ ...usual, scenario });
    expect(shown).toContain('The scenario of partition starvation-scenario');
    expect(shown).not.toContain('curtail get');
    expect(banner({ ...usual, url: 'http://127.0.0.1:9000', scenario })).toContain(
      'export CURTAIL_SERVER=http://127.0.0.1:9000\n',
    );
  });

  it('names commands and files as they work where it was started', () => {
    const hint = (text: string) =>
      text.replace(/^curtail /, 'npx --no-install curtail ').replace('examples/', '/opt/curtail/examples/');
    const shown = banner({ ...usual, seeded: true, hint });
    expect(shown).toContain('with the quotas of /opt/curtail/examples/queues.yaml.\n');
    expect(shown).toContain(
      [
        '  npx --no-install curtail get queues                                                    what is used, and the quotas',
        '  npx --no-install curtail apply -f /opt/curtail/examples/queues-lowered.yaml --dry-run  the effects of a lower quota',
      ].join('\n'),
    );
  });

  it('asks for the token of a guarded server', () => {
    expect(banner({ ...usual, credential: 'given' })).toContain('export CURTAIL_TOKEN=');
  });

  it('puts the token that it has made into the link of the page, where browsers do not send it', () => {
    const local = { local: 'made-at-the-start', kept: true, file: '/data/token' };
    const shown = banner({ ...usual, credential: local });
    expect(shown).toContain('http://127.0.0.1:8080/ui/#token=made-at-the-start\n');
    expect(shown).not.toContain('CURTAIL_TOKEN');
    expect(banner({ ...usual, credential: { ...local, kept: false } })).toContain(
      'export CURTAIL_TOKEN=$(cat /data/token)\n',
    );
  });

  it('says that everyone may do everything where no token is needed', () => {
    expect(banner(usual)).toContain('Nobody needs a token (CURTAIL_AUTH=none)');
  });

  it.each([
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080/docs'],
    ['http://[::]:8080', 'http://[::1]:8080/docs'],
  ])('names for %s an address that can be opened', (url, opened) => {
    expect(banner({ ...usual, url })).toContain(opened);
  });
});
