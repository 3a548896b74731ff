import { describe, expect, it } from '@jest/globals';
import { chooseAccount, parsePasswd } from './account.js';

const root = { name: 'root', uid: 0, gid: 0 };
const daemon = { name: 'daemon', uid: 1, gid: 1 };
const anna = { name: 'anna', uid: 1000, gid: 1000 };
const nobody = { name: 'nobody', uid: 65534, gid: 65534 };
const postgres = { name: 'postgres', uid: 101, gid: 104 };

describe('chooseAccount', () => {
  it('keeps the owner of the data', () => {
    expect(chooseAccount([root, anna, postgres], anna.uid)).toBe(anna);
  });
  it('prefers postgres, then nobody, then an ordinary account', () => {
    expect(chooseAccount([root, anna, nobody, postgres])).toBe(postgres);
    expect(chooseAccount([root, anna, nobody])).toBe(nobody);
    expect(chooseAccount([root, daemon, anna])).toBe(anna);
  });
  it('never takes root or an account of the system', () => {
    expect(chooseAccount([root, daemon, { ...postgres, uid: 0 }])).toBeUndefined();
  });
});

describe('parsePasswd', () => {
  it('reads accounts and skips other lines', () => {
    expect(
      parsePasswd('root:x:0:0:root:/root:/bin/bash\n\n+::::::\npostgres:x:101:104::/:/bin/sh\n'),
    ).toEqual([root, postgres]);
  });
});
