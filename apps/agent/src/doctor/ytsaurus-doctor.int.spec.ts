import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeYtsaurus, YtFault } from '../../../../test/clusters/ytsaurus/fake-ytsaurus.js';
import { ytsaurusChecks } from './ytsaurus-doctor.js';

const node = { cpu: 10, memory: 1000, user_slots: 10 };

describe('doctor for YTsaurus', () => {
  let fake: FakeYtsaurus;
  beforeEach(async () => {
    fake = await new FakeYtsaurus().up();
    fake.world.addTree('physical', { main_resource: 'cpu', allocation_preemption_timeout: 7000 });
    fake.world.addPool('physical', 'prod');
    fake.world.addNode('n1:9012', node, 'physical', ['ssd', 'old']);
  });
  afterEach(() => fake.down());

  it('checks token, rights, tree, nodes and scheduler', async () => {
    const problems = async (ytsaurusTree?: string) =>
      (
        await ytsaurusChecks({
          ytsaurusUrl: fake.url,
          ytsaurusTokenFile: undefined,
          ytsaurusCa: undefined,
          ytsaurusTree,
          ytsaurusDelay: undefined,
        })
      )
        .filter(({ status }) => status === 'problem')
        .map(({ name, message }) => `${name}: ${message}`);
    expect(await problems()).toEqual([
      expect.stringMatching(/^token: .*the caller is not known.*--ytsaurus-token-file FILE/),
    ]);
    fake.anonymous = 'guest';
    expect(await problems()).toEqual([]);
    expect(await problems('gpu')).toEqual([
      expect.stringMatching(/^pool tree: .*no pool tree gpu: it has physical/),
    ]);
    fake.withoutManage.add('guest');
    expect(await problems()).toEqual([expect.stringMatching(/^rights: .*guest may not abort their jobs/)]);
    fake.withoutManage.clear();
    fake.world.connected = false;
    fake.world.nodes.clear();
    expect(await problems()).toEqual([
      expect.stringMatching(/^scheduler: .*not connected to its masters/),
      expect.stringMatching(/^nodes: none is online in physical/),
    ]);
    fake.trouble = () => ({ fault: new YtFault(1, 'broken', [], 500) });
    expect(await problems()).toEqual([expect.stringMatching(/^token: .*broken/)]);
  });
});
